// A plugin of sqlcluster in Node.js. The host starts this program, reads one
// line of its standard output, the handshake, and then calls it over gRPC.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from './certificate.mjs';
import { controllerService, pluginService } from './protocol.mjs';
import { calls, streams, unary } from './service.mjs';

const protocolVersion = 1; // of protocol.proto
const maxMessage = 64 << 20;

// holdLifeline ends this process, and those that it has started, as soon as the host
// ends: that closes the pipe whose number the host has passed.
function holdLifeline() {
  const number = Number(process.env.SQLCLUSTER_PLUGIN_LIFELINE);
  if (!number) {
    return;
  }
  const lifeline = new Socket({ fd: number, readable: true, writable: false });
  lifeline.on('close', () => {
    try {
      process.kill(-process.pid, 'SIGKILL'); // the host has made it a group of its own
    } finally {
      process.exit(1);
    }
  });
  lifeline.on('error', () => {}); // close follows
  lifeline.resume();
}

async function serve() {
  const server = new Server({ 'grpc.max_receive_message_length': maxMessage, 'grpc.max_send_message_length': maxMessage });
  server.addService(pluginService, calls);
  server.addService(controllerService, {
    Shutdown: unary(() => {
      for (const stream of streams) {
        stream.end();
      }
      server.tryShutdown(() => process.exit(0));
      return {};
    }),
  });
  const own = await selfSigned();
  const credentials = ServerCredentials.createSsl(
    Buffer.from(process.env.PLUGIN_CLIENT_CERT), // trust only the host
    [{ private_key: own.key, cert_chain: own.certificate }],
    true,
  );
  const socket = join(process.env.PLUGIN_UNIX_SOCKET_DIR, 'plugin.sock');
  await new Promise((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, credentials, (error) => (error ? reject(error) : resolve()));
  });
  const certificate = own.der.toString('base64').replace(/=+$/, '');
  console.log(`1|${protocolVersion}|unix|${socket}|grpc|${certificate}`);
}

if (process.env.SQLCLUSTER_PLUGIN_COOKIE !== 'c1f4b2e0-sqlcluster-plugin') {
  console.error('sqlcluster-plugin-kmedians is a sqlcluster plugin: sqlcluster starts it, to run kmedians, whole');
  process.exitCode = 1;
} else {
  holdLifeline();
  serve().catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
