// Answers the HTTP interface of ClickHouse with chdb, the same engine as a library:
//
//   node server.js PORT DIRECTORY
//
// Statements run one at a time. Settings of a request are those of its statement only: the
// session would keep them, and so those that the next one does not give are set back.
const http = require('http');
const { Session } = require('chdb');

const session = new Session(process.argv[3]);
const parameters = ['query_id', 'database', 'default_format', 'wait_end_of_query'];

// A text, as SQL has it.
const quoted = (text) => "'" + text.replace(/\\/g, '\\\\').replace(/'/g, "\\'") + "'";

let before = Promise.resolve();
let given = []; // the settings of the statement before

async function answer(url, statement, response) {
  const settings = [];
  const names = [];
  for (const [name, value] of url.searchParams) {
    // A session that has once been set to read only stays so.
    if (parameters.includes(name) || name === 'readonly') continue;
    settings.push(`${name} = ${quoted(value)}`);
    names.push(name);
  }
  settings.push(...given.filter((name) => !names.includes(name)).map((name) => `${name} = DEFAULT`));
  try {
    if (settings.length > 0) session.query('SET ' + settings.join(', '));
    given = names;
    const format = url.searchParams.get('default_format') || 'TabSeparated';
    const result = await session.queryAsync(statement, { format });
    response.end(Buffer.from(result.bytes()));
  } catch (error) {
    response.statusCode = 500;
    response.end(String(error.message));
  }
}

http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const url = new URL(request.url, 'http://127.0.0.1');
    before = before.then(() => answer(url, Buffer.concat(parts).toString(), response));
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
