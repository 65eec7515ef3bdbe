"""A plugin of sqlcluster in Python. The host starts this program, reads one line of its
standard output, the handshake, and then calls it over gRPC."""

import base64
import concurrent.futures
import datetime
import os
import signal
import sys
import tempfile
import threading

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import controller_pb2
import controller_pb2_grpc
import protocol_pb2_grpc
from service import Service

COOKIE = 'c1f4b2e0-sqlcluster-plugin'
PROTOCOL = 1  # the version of protocol.proto
THREADS = 32  # that serve calls; a stream of beats has one for itself
MESSAGE = 64 << 20


def hold_lifeline():
    """Ends this process, and those that it has started, as soon as the host ends: that
    closes the pipe whose number the host has passed."""
    lifeline = int(os.environ.get('SQLCLUSTER_PLUGIN_LIFELINE', 0))
    if lifeline:
        os.read(lifeline, 1)
        os.killpg(0, signal.SIGKILL)  # the host has made it a group of its own


def certificate():
    """A new key, and its certificate, by which the host recognises this process. The
    host expects the name "localhost", whatever the socket is."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, 'localhost')])
    now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day).not_valid_after(now + 3650 * day)  # a clock may be set back
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName('localhost')]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return secret, made


class Controller(controller_pb2_grpc.GRPCControllerServicer):
    def __init__(self, ending):
        self.ending = ending

    def Shutdown(self, request, context):
        self.ending.set()
        return controller_pb2.Empty()


def serve():
    ending = threading.Event()
    server = grpc.server(
        concurrent.futures.ThreadPoolExecutor(THREADS),
        options=[('grpc.max_receive_message_length', MESSAGE), ('grpc.max_send_message_length', MESSAGE)])
    protocol_pb2_grpc.add_PluginServicer_to_server(Service(ending), server)
    controller_pb2_grpc.add_GRPCControllerServicer_to_server(Controller(ending), server)
    directory = os.environ.get('PLUGIN_UNIX_SOCKET_DIR') or tempfile.mkdtemp()
    socket, der = os.path.join(directory, 'plugin.sock'), b''
    if host := os.environ.get('PLUGIN_CLIENT_CERT'):
        key, own = certificate()
        der = own.public_bytes(serialization.Encoding.DER)
        server.add_secure_port('unix:' + socket, grpc.ssl_server_credentials(
            [(key, own.public_bytes(serialization.Encoding.PEM))],
            root_certificates=host.encode(), require_client_auth=True))  # trust only the host
    else:  # started by a person who debugs it; the directory keeps others out
        server.add_insecure_port('unix:' + socket)
    server.start()
    print(f'1|{PROTOCOL}|unix|{socket}|grpc|{base64.b64encode(der).decode().rstrip("=")}', flush=True)
    ending.wait()
    server.stop(grace=0.5).wait()


if os.environ.get('SQLCLUSTER_PLUGIN_COOKIE') != COOKIE:
    sys.exit('sqlcluster-plugin-huber is a sqlcluster plugin: sqlcluster starts it, to run huber')
threading.Thread(target=hold_lifeline, daemon=True).start()
serve()
