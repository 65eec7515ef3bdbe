"""The sealed rows of a session, mapped into memory."""

import os

import numpy

from protocol import PLUGIN, FaultError, refuse


class Rows:
    """cells has the rows, and weights their weights. A file that is smaller than the
    handle says is refused: reading beyond its end would end the process."""

    def __init__(self, handle):
        n, p = handle.rows, handle.cols
        if n < 0 or p < 0 or handle.block_rows < 1:
            raise bad(f'{n} rows of {p} columns in blocks of {handle.block_rows}')
        needed = n * (p + handle.weighted)
        try:
            if os.path.getsize(handle.path) < 8 * needed:
                raise bad(f'the file has fewer than {needed} numbers')
            numbers = numpy.memmap(handle.path, dtype=float, mode='r', shape=needed) if needed else numpy.zeros(0)
        except OSError as error:
            raise bad(error) from error
        self.cells = numbers[:n * p].reshape(n, p)
        self.weights = numbers[n * p:] if handle.weighted else numpy.ones(n)
        self.block_rows = handle.block_rows

    def block(self, number):
        """The place of the rows of a block."""
        first = number * self.block_rows
        if not 0 <= first < len(self.cells):
            refuse(f'block {number} of {len(self.cells)} rows in blocks of {self.block_rows}')
        return slice(first, min(first + self.block_rows, len(self.cells)))

    def blocks(self):
        """The first row of each block, and the cells of its rows."""
        for first in range(0, len(self.cells), self.block_rows):
            yield first, self.cells[first:first + self.block_rows]


def bad(why):
    return FaultError(PLUGIN, 'bad-data-handle', f'the shared data cannot be used: {why}')
