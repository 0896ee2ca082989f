import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../../src/server/listener.ts";

test("a route that fails is answered with 500, and its reason handed on", async () => {
  const faults: unknown[] = [];
  const reason = new Error("no metrics today");
  const routes = () => Promise.reject(reason);
  const listener = await listen({ host: "127.0.0.1", port: 0 }, routes, (fault) => void faults.push(fault));
  onTestFinished(() => listener.close());
  const response = await fetch(`${listener.url}/metrics`);
  expect(response.status).toBe(500);
  expect(await response.text()).toBe("the answer could not be made\n");
  expect(faults).toEqual([reason]);
});
