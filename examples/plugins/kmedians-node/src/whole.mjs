// Sets of centers whose features are whole numbers, or multiples of a unit. A row
// of a constraints relation says that, for a feature (NULL: all) and a cluster
// (NULL: all), the center is value + m · coef for a whole number m. If they are NULL,
// coef is 1 and value is 0. Everything is in original units.
import { classes, FaultError, matrixValues, refuse, wireMatrix } from './protocol.mjs';

const kind = 'whole';

export const description = {
  kind,
  version: '1.0.0',
  summary: 'features of centers are whole numbers, or multiples of a unit (in Node.js)',
  source: 'by hand: each entry goes to the nearest multiple',
  uses: ['cluster', 'feature', 'coef', 'value'],
  example: [
    { kind, name: 'example', feature: 'f1' },
    { kind, name: 'example', feature: 'f3', coef: 0.25, value: 0.1 },
    { kind, name: 'example', cluster: 2, feature: 'f5', coef: 2 },
  ],
};

function bad(summary, hint) {
  return new FaultError({ class: classes.data, code: 'bad-unit', summary, hint });
}

export class Whole {
  // The set of k × p centers that the rows declare.
  constructor(rows, k, columns) {
    this.k = k;
    this.columns = columns;
    this.entries = new Array(k * columns.length).fill(null); // null: free
    for (const row of rows) {
      this.declare(row.cluster, row.feature, { unit: row.coef ?? 1, offset: row.value ?? 0 });
    }
  }

  declare(cluster, feature, entry) {
    if (!(entry.unit > 0)) {
      throw bad(`coef is ${entry.unit}; a unit must be above 0`, 'leave coef away for whole numbers');
    }
    for (let i = 0; i < this.entries.length; i++) {
      const { name } = this.columns[i % this.columns.length];
      if ((cluster !== undefined && cluster !== Math.floor(i / this.columns.length)) || (feature !== undefined && feature !== name)) {
        continue;
      }
      const before = this.entries[i];
      if (before && (before.unit !== entry.unit || before.offset !== entry.offset)) {
        throw bad(`two rows say something else of feature ${name}`, 'give each feature of a cluster one unit');
      }
      this.entries[i] = entry;
    }
  }

  properties() {
    return { rowWise: true, separable: true };
  }

  // nearest returns the allowed value of entry i that is nearest to x; of two, the
  // one farther from 0, so that points a little farther out go to the same value. It
  // is rounded in original units, where it has to be a multiple. Masses do not
  // matter, since each entry is projected by itself.
  nearest(x, i) {
    if (!this.entries[i]) {
      return x;
    }
    const { unit, offset } = this.entries[i];
    const { location, scale } = this.columns[i % this.columns.length];
    const multiples = (x * scale + location - offset) / unit;
    const nearest = x < 0 ? Math.ceil(multiples - 0.5) : Math.floor(multiples + 0.5);
    return (offset + nearest * unit - location) / scale + 0; // no −0
  }

  project(x) {
    const values = matrixValues(x, this.k, this.columns.length);
    return { y: wireMatrix(values.map((v, i) => this.nearest(v, i)), this.k, this.columns.length) };
  }

  // measure returns the largest distance of an entry from where it should be.
  measure(y) {
    const values = matrixValues(y, this.k, this.columns.length);
    return { violation: values.reduce((worst, v, i) => Math.max(worst, Math.abs(v - this.nearest(v, i))), 0), penalty: 0 };
  }
}

const sets = new Map();
let last = 0;

function open({ kind: wanted, rows, k, columns }) {
  if (wanted !== kind) {
    throw new FaultError({
      class: classes.usage, code: 'kind-not-found', summary: `the plugin has no kind of sets "${wanted}"`, details: [kind],
    });
  }
  if (k < 0) {
    refuse(`a set of ${k} centers`);
  }
  const set = new Whole(rows, k, columns);
  const name = `${kind} ${++last}`;
  sets.set(name, set);
  return { set: name, properties: set.properties() };
}

function find(name) {
  const set = sets.get(name);
  if (!set) {
    throw new FaultError({ class: classes.internal, code: 'plugin-closed', summary: 'the set has been closed' });
  }
  return set;
}

// The calls about sets, as functions of requests.
export const setCalls = {
  OpenSet: open,
  ProjectSet: ({ set, x }) => find(set).project(x),
  MeasureSet: ({ set, y }) => find(set).measure(y),
  CloseSet: ({ set }) => {
    sets.delete(set);
    return {};
  },
};
