import { expect, test } from "vitest";
import { readWorksWith } from "../../../scripts/docs/works-with-table.ts";

test("the table has every server that certhup promises to work with", async () => {
  const servers = (await readWorksWith()).map(({ server }) => server);
  expect(servers).toEqual(
    expect.arrayContaining([
      ...["nginx", "HAProxy", "Apache httpd", "lighttpd", "hitch", "stunnel", "Caddy"],
      ...["PostgreSQL", "MariaDB", "Redis", "Mosquitto", "Postfix", "Dovecot", "slapd"],
      ...["Node", "Go", "Python"],
    ]),
  );
});
