import { quoteForeign } from "../../system/escape.ts";
import { type Prelude, read, refuse, send } from "../prelude.ts";

const tlsNamespace = "urn:ietf:params:xml:ns:xmpp-tls";

/**
 * STARTTLS of XMPP (RFC 6120 section 5). Its few stanzas are recognised by their text: an XML parser would be more
 * than a server that nobody knows should get at.
 *
 * @param namespace the stream's content: clients and other servers are served differently
 * @param domain the domain asked for: a DNS name, checked by the caller
 */
export function* createXmppPrelude(namespace: "jabber:client" | "jabber:server", domain: string): Prelude {
  yield* send(
    `<?xml version='1.0'?><stream:stream xmlns='${namespace}' ` +
      `xmlns:stream='http://etherx.jabber.org/streams' to='${domain}' version='1.0'>`,
  );
  const features = (yield* read("XMPP stream features", measureFeatures)).toString("utf8");
  const error = /<stream:error\b[^>]*>\s*<([a-z-]+)/.exec(features);
  if (error !== null) {
    return yield* refuse(`ended the stream: ${error[1]} (is ${domain} one of its domains?)`);
  }
  if (!/^\s*(?:<\?xml[^>]*\?>\s*)?<stream:stream\b/.test(features)) {
    return yield* refuse(`sent ${quoteForeign(features)} as XMPP stream`);
  }
  if (!/<starttls\b[^>]*\bxmlns=(['"])urn:ietf:params:xml:ns:xmpp-tls\1/.test(features)) {
    return yield* refuse(`offers no STARTTLS for ${domain}: is a certificate configured for it?`);
  }
  yield* send(`<starttls xmlns='${tlsNamespace}'/>`);
  const answer = (yield* read("reply to STARTTLS", measureElement)).toString("utf8");
  if (!/^\s*<proceed\b[^>]*\bxmlns=(['"])urn:ietf:params:xml:ns:xmpp-tls\1[^>]*>(?:<\/proceed>)?$/.test(answer)) {
    yield* refuse(`refused STARTTLS: ${quoteForeign(answer)}`);
  }
}

/** Up to the end of the features, of an error or of the whole stream; at once where no markup begins. */
function measureFeatures(received: Buffer): number | undefined {
  const text = received.toString("latin1");
  if (/^\s*[^<\s]/.test(text)) {
    return received.length;
  }
  if (!text.trimEnd().endsWith(">")) {
    return undefined;
  }
  const end = /<stream:features\s*\/>|<\/stream:features>|<\/stream:error>|<\/stream:stream>/.exec(text);
  return end === null ? undefined : end.index + end[0].length;
}

/** One empty element: `<proceed …/>` or `<proceed …></proceed>`. */
function measureElement(received: Buffer): number | undefined {
  const text = received.toString("latin1");
  if (/^\s*[^<\s]/.test(text)) {
    return received.length;
  }
  const open = /^\s*<([a-z:-]+)[^>]*>/.exec(text);
  if (open === null) {
    return undefined;
  }
  if (open[0].endsWith("/>")) {
    return open[0].length;
  }
  const close = text.indexOf(`</${open[1]}>`, open[0].length);
  return close === -1 ? undefined : close + `</${open[1]}>`.length;
}
