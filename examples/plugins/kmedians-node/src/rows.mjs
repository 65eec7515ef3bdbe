// The sealed rows of a session. Node.js cannot map files into memory, so it reads
// them block by block. For a file in memory that is only a copy.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { classes, FaultError } from './protocol.mjs';

const numberBytes = 8;

function bad(why) {
  return new FaultError({ class: classes.plugin, code: 'bad-data-handle', summary: `the shared data cannot be used: ${why}` });
}

export class Rows {
  // A handle says where the rows are. If the file is smaller than the handle says,
  // it is refused.
  constructor({ path, rows, cols, blockRows, weighted }) {
    if (rows < 0 || cols < 0 || blockRows < 1) {
      throw bad(`${rows} rows of ${cols} columns in blocks of ${blockRows}`);
    }
    Object.assign(this, { rows, cols, blockRows, weighted, blocks: Math.ceil(rows / blockRows) });
    try {
      this.file = openSync(path, 'r');
    } catch (error) {
      throw bad(error.message);
    }
    const needed = numberBytes * rows * (cols + (weighted ? 1 : 0));
    const { size } = fstatSync(this.file);
    if (size < needed) {
      this.close();
      throw bad(`the file has ${size} bytes, but ${needed} are needed`);
    }
  }

  // read returns numbers of the file, in the byte order of this machine.
  read(from, count) {
    const numbers = new Float64Array(count);
    const bytes = new Uint8Array(numbers.buffer);
    for (let got = 0; got < bytes.length; ) {
      const more = readSync(this.file, bytes, got, bytes.length - got, from * numberBytes + got);
      if (more === 0) {
        throw bad('the file has become smaller');
      }
      got += more;
    }
    return numbers;
  }

  // block returns the rows of a block: the number of the first, how many, their
  // cells row by row, and their weights.
  block(i) {
    const first = i * this.blockRows;
    const count = Math.min(this.blockRows, this.rows - first);
    return {
      first,
      count,
      cells: this.read(first * this.cols, count * this.cols),
      weights: this.weighted ? this.read(this.rows * this.cols + first, count) : new Float64Array(count).fill(1),
    };
  }

  close() {
    closeSync(this.file);
  }
}
