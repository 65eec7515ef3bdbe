// k-medians: the distance of a row to a center is the sum of the absolute
// differences of their cells, and the best center of a cluster has the median of
// each feature. A missing cell (NaN) is left out of every sum and median.
//
// Source: Bradley, Mangasarian and Street (1996), Clustering via concave
// minimization.
import { matrixValues, refuse, wireMatrix } from './protocol.mjs';

export const description = {
  name: 'kmedians',
  version: '1.0.0',
  summary: 'k-medians: absolute differences, and centers of medians (in Node.js)',
  paper: 'Bradley, Mangasarian and Street (1996), Clustering via concave minimization, Advances in Neural Information Processing Systems 9',
  params: [
    {
      name: 'middle', type: 'choice', defaultText: 'mean', choices: ['low', 'mean', 'high'],
      doc: 'of two middle values, the median is the lower, their mean, or the higher',
    },
  ],
  missing: true,
  empty: 'reseed',
  scale: 'sd',
  center: 'median',
};

// chunkNumbers bounds the memory for columns, as a count of numbers.
const chunkNumbers = 1 << 23;

export class KMedians {
  constructor(problem, rows) {
    this.k = problem.k;
    this.p = problem.p;
    this.middle = problem.params.middle?.text;
    if (!description.params[0].choices.includes(this.middle)) {
      refuse(`the parameter middle is ${this.middle}`);
    }
    this.rows = rows;
  }

  // plan: one statistic, the weight of each cluster; medians do not add up, so
  // update reads the rows.
  plan() {
    return { stats: [{ name: 'mass', len: this.k }], cadence: [1, 0], monotone: true, needsRows: true };
  }

  begin() {
    return { centers: { rows: this.k, cols: this.p, values: [] } };
  }

  centers(model) {
    return Float64Array.from(matrixValues(model?.centers, this.k, this.p));
  }

  // distance returns the distance of a row, whose cells begin at `from`, to center j.
  distance(cells, from, centers, j) {
    let sum = 0;
    for (let l = 0; l < this.p; l++) {
      const d = Math.abs(cells[from + l] - centers[j * this.p + l]);
      if (d === d) {
        sum += d;
      }
    }
    return sum;
  }

  // assign returns the nearest center of each row; ties go to the first.
  assign(model, block) {
    const centers = this.centers(model);
    const labels = new Array(block.count);
    for (let i = 0; i < block.count; i++) {
      let best = Infinity;
      labels[i] = 0;
      for (let j = 0; j < this.k; j++) {
        const d = this.distance(block.cells, i * this.p, centers, j);
        if (d < best) {
          best = d;
          labels[i] = j;
        }
      }
    }
    return labels;
  }

  // collect adds statistics(to) − statistics(from) to stats. −1 means no cluster.
  collect(block, from, to, [mass]) {
    for (let i = 0; i < block.count; i++) {
      const before = from.length > 0 ? from[i] : -1;
      if (before === to[i]) {
        continue;
      }
      if (before >= 0) {
        mass[before] -= block.weights[i];
      }
      if (to[i] >= 0) {
        mass[to[i]] += block.weights[i];
      }
    }
  }

  // update returns the objective of model and labels, and the medians. It may take
  // long, so it calls pause again and again, which throws if the call is cancelled.
  async update(model, [mass], labels, pause) {
    const objective = await this.objective(this.centers(model), labels, pause);
    const members = this.members(labels);
    const medians = new Float64Array(this.k * this.p);
    const width = Math.max(1, Math.floor(chunkNumbers / Math.max(1, this.rows.rows)));
    for (let first = 0; first < this.p; first += width) {
      const last = Math.min(first + width, this.p);
      const { columns, weights } = await this.columns(first, last, pause);
      for (let l = first; l < last; l++) {
        for (let j = 0; j < this.k; j++) {
          medians[j * this.p + l] = this.median(columns[l - first], weights, members[j]);
          await pause();
        }
      }
    }
    return { objective, mass: { values: mass }, centers: { x: wireMatrix(medians, this.k, this.p), rowMass: { values: mass } } };
  }

  async objective(centers, labels, pause) {
    let sum = 0;
    for (let b = 0; b < this.rows.blocks; b++) {
      await pause();
      const block = this.rows.block(b);
      for (let i = 0; i < block.count; i++) {
        const j = labels[block.first + i];
        if (j >= 0) {
          sum += block.weights[i] * this.distance(block.cells, i * this.p, centers, j);
        }
      }
    }
    return sum;
  }

  // members returns the row numbers of each cluster.
  members(labels) {
    const members = Array.from({ length: this.k }, () => []);
    labels.forEach((j, i) => j >= 0 && members[j].push(i));
    return members;
  }

  // columns returns the columns from first to last, and the row weights.
  async columns(first, last, pause) {
    const columns = Array.from({ length: last - first }, () => new Float64Array(this.rows.rows));
    const weights = new Float64Array(this.rows.rows);
    for (let b = 0; b < this.rows.blocks; b++) {
      await pause();
      const block = this.rows.block(b);
      weights.set(block.weights, block.first);
      for (let i = 0; i < block.count; i++) {
        for (let l = first; l < last; l++) {
          columns[l - first][block.first + i] = block.cells[i * this.p + l];
        }
      }
    }
    return { columns, weights };
  }

  // median returns the value with half of the weight on either side, or 0 if there
  // are no values. Adding 0 turns −0 into +0, so that the order of rows makes no
  // difference.
  median(column, weights, members) {
    const seen = members.filter((i) => weights[i] > 0 && column[i] === column[i]);
    seen.sort((a, b) => column[a] - column[b]);
    let total = 0;
    for (const i of seen) {
      total += weights[i];
    }
    let below = 0;
    for (const [place, i] of seen.entries()) {
      below += weights[i];
      if (2 * below === total && place + 1 < seen.length) {
        const low = column[i];
        const high = column[seen[place + 1]];
        return { low, mean: low + (high - low) / 2, high }[this.middle] + 0;
      }
      if (2 * below > total) {
        return column[i] + 0;
      }
    }
    return 0;
  }

  // project writes the medians into the model: the centers are not restricted.
  project(model, point) {
    const centers = wireMatrix(matrixValues(point.x, this.k, this.p), this.k, this.p);
    return { model: { ...model, centers, round: model.round + 1 }, change: 0, stop: '' };
  }

  // distances returns the distance of each row of the block to each center.
  distances(model, block) {
    const centers = this.centers(model);
    const values = new Array(block.count * this.k);
    for (let i = 0; i < block.count; i++) {
      for (let j = 0; j < this.k; j++) {
        values[i * this.k + j] = this.distance(block.cells, i * this.p, centers, j);
      }
    }
    return values;
  }
}
