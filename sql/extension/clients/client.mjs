// A database of stock DuckDB with the extension in it.

export const extension = new URL('../../../bin/sqlcluster.duckdb_extension', import.meta.url).pathname;

// opened returns a database that has loaded the extension, and a connection to it.
// Names of functions need no catalogue there.
export async function opened(path = ':memory:', instance = undefined) {
  instance ??= (await import(process.env.DUCKDB_CLIENT ?? '@duckdb/node-api')).DuckDBInstance;
  const db = await instance.create(path, { allow_unsigned_extensions: 'true' });
  const c = await db.connect();
  await c.run(`LOAD '${extension}'`);
  const [[current]] = await rows(c, 'SELECT current_catalog()');
  await c.run(`SET search_path = '"${current}".main,sqlcluster.main'`);
  return { db, c };
}

// rows returns the rows of a statement.
export async function rows(c, sql) {
  return (await c.runAndReadAll(sql)).getRows();
}

// failure returns the message of the error that a statement must end with.
export async function failure(c, sql) {
  try {
    await c.runAndReadAll(sql);
  } catch (e) {
    return e.message;
  }
  throw new Error(`no error: ${sql}`);
}
