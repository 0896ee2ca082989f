import { describe, expect, test } from "vitest";
import type { ProcessEntry } from "../../../src/process/process-info.ts";
import { bearsName, isWrapper } from "../../../src/process/process-name.ts";

function entry(comm: string, argv: readonly string[]): ProcessEntry {
  return { pid: 7, ppid: 1, comm, argv, state: "S", startTime: 1, processGroup: 7, isKernelThread: false };
}

describe("the name", () => {
  test.each([
    ["nginx", "nginx", ["/usr/sbin/nginx", "-g", "daemon off;"]],
    ["nginx", "nginx", ["nginx: master process /usr/sbin/nginx -g daemon off;"]],
    ["/usr/local/sbin/nginx", "nginx", ["nginx: master process /usr/sbin/nginx"]],
    ["php-fpm8.2", "php-fpm8.2", ["php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)"]],
    ["php-fpm", "php-fpm8.2", ["php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)"]],
    ["puma", "ruby", ["puma 6.4.0 (tcp://0.0.0.0:9292) [app]"]],
    ["node", "MainThread", ["node", "server.js"]],
    ["gunicorn", "gunicorn", ["/usr/bin/python3", "/usr/bin/gunicorn", "app"]],
    ["very-long-process-name-server", "very-long-proce", ["/opt/very-long-process-name-server"]],
    ["very-long-process-name-server", "very-long-proce", ["/usr/bin/python3", "/opt/very-long-process-name-server"]],
    ["very-long-process-name-server", "very-long-proce", ["main"]],
    ["exactly15-bytes", "exactly15-bytes", ["exactly15-bytes"]],
    ["sérveur-très-long", "sérveur-très-", ["/opt/sérveur-très-long"]],
  ])("%s is borne by %s %j", (name, comm, argv) => {
    expect(bearsName(entry(comm, argv), name, undefined)).toBe(true);
  });

  test.each([
    ["nginx", "tail", ["tail", "-f", "/var/log/nginx/access.log"]],
    ["nginx", "sh", ["sh", "-c", "nginx -t"]],
    ["nginx", "vim", ["vim", "nginx"]],
    ["nginx", "nginx-exporter", ["/usr/bin/nginx-exporter"]],
    ["nginx", "kubectl", ["kubectl", "logs", "nginx"]],
    ["very-long-process-name-server", "very-long-proce", ["/opt/very-long-process-name-worker"]],
    ["very-long-process-name-server", "very-long-proc", ["main"]],
    ["exactly15-bytes", "exactly15-bytes", ["/opt/exactly15-bytes-and-more"]],
    ["", "nginx", ["nginx"]],
  ])("%s is not borne by %s %j", (name, comm, argv) => {
    expect(bearsName(entry(comm, argv), name, undefined)).toBe(false);
  });

  test("may be that of the program file", () => {
    expect(bearsName(entry("worker", ["main"]), "nginx", "/usr/sbin/nginx")).toBe(true);
  });
});

describe("a wrapper", () => {
  test.each([
    ["sh", ["/bin/sh", "-c", "server; true"]],
    ["bash", ["-bash"]],
    ["tini", ["/sbin/tini", "--", "server"]],
    ["dumb-init", ["dumb-init", "server"]],
    ["s6-supervise", ["s6-supervise", "server"]],
  ])("is %s", (comm, argv) => {
    expect(isWrapper(entry(comm, argv))).toBe(true);
  });

  test("is no server", () => {
    expect(isWrapper(entry("nginx", ["nginx"]))).toBe(false);
  });
});
