import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readWorksWith, renderWorksWith, worksWithPage } from "../../../scripts/works-with.ts";

test("the table of servers is the one that the measured data give", async () => {
  const page = await readFile(worksWithPage, "utf8");
  expect(page).toBe(renderWorksWith(page, await readWorksWith()));
});

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
