import { schemes } from "../../src/probe/endpoint-scheme.ts";
import { code, table } from "./markdown.ts";

/** Every scheme of an endpoint URL with its port, and what is spoken before the handshake. */
export function renderSchemes(): string {
  const rows = [...schemes].map(([name, { scheme, defaultPort }]) => [
    code(`${name}://`),
    String(defaultPort),
    scheme === "tls" ? "TLS at once" : `STARTTLS of ${scheme}`,
  ]);
  return table(["scheme", "port if none is named", "begins with"], rows);
}
