"""A Python server that loads its pair anew on SIGHUP; connections that are open keep what they have."""

import http.server
import signal
import ssl

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)


def load(*_):
    context.load_cert_chain("/certs/tls.crt", "/certs/tls.key")


load()
signal.signal(signal.SIGHUP, load)
server = http.server.ThreadingHTTPServer(("", 8443), http.server.SimpleHTTPRequestHandler)
# The handshake belongs to the thread of its connection: a silent client must not stop the others.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
