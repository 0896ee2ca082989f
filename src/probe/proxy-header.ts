const signature = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
const versionTwoLocal = 0x20;

/**
 * The header of a connection that a proxy makes on its own behalf, as a health check does: the server keeps the real
 * addresses (HAProxy, "The PROXY protocol", sections 2.1 and 2.2).
 */
export function createProxyHeader(version: "v1" | "v2"): Buffer {
  switch (version) {
    case "v1":
      return Buffer.from("PROXY UNKNOWN\r\n", "latin1");
    case "v2":
      // LOCAL, unspecified family, no addresses.
      return Buffer.concat([signature, Buffer.from([versionTwoLocal, 0x00, 0x00, 0x00])]);
  }
}
