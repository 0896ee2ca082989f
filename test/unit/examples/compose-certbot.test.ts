import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readRunConfig } from "../../../src/config/read-config.ts";
import { toFlagTexts } from "../../support/flag-texts.ts";

const document = parseDocument(await readFile("examples/compose-certbot/compose.yaml", "utf8"));
const { nginx, certhup } = document.toJS().services;
const nginxConfiguration = await readFile("examples/compose-certbot/nginx.conf", "utf8");

test("the compose file is YAML without a mistake", () => {
  expect([...document.errors, ...document.warnings]).toEqual([]);
});

test("the agent accepts its flags, and looks for the files that nginx serves", async () => {
  const read = await readRunConfig({ flags: toFlagTexts(certhup.command), environment: {} }, "compose");
  if (read.kind === "issues") throw new Error(JSON.stringify(read.issues));
  const [target] = read.config.targets;
  const { directory, certificateFile, keyFile } = target?.volume ?? {};
  expect(nginxConfiguration).toContain(`ssl_certificate ${directory}/${certificateFile};`);
  expect(nginxConfiguration).toContain(`ssl_certificate_key ${directory}/${keyFile};`);
  expect(nginxConfiguration).toContain(`listen ${target?.endpoints[0]?.port} ssl;`);
});

test("both services mount certbot's directory whole and read-only", () => {
  const mount = "/etc/letsencrypt:/etc/letsencrypt:ro";
  expect([nginx.volumes, certhup.volumes]).toEqual([expect.arrayContaining([mount]), [mount]]);
});

test("the agent shares nginx's processes and network, and has no right that it doesn't need", () => {
  expect(certhup).toMatchObject({
    pid: "service:nginx",
    network_mode: "service:nginx",
    user: "0:0",
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    read_only: true,
  });
});
