import process from "node:process";
import { inspectMounts } from "../../src/volume/inspect-mounts.ts";

// Program: prints what this process's own mounts do to a volume. `node secret-volume-mounts.ts <directory>`

const [directory = ""] = process.argv.slice(2);
const { findings, volume } = await inspectMounts({
  directory,
  certificateFile: "tls.crt",
  keyFile: "tls.key",
  caFile: undefined,
  maxFileSizeBytes: 1024,
});
process.stdout.write(JSON.stringify({ findings: findings.map(({ code, message }) => [code, message]), volume }));
