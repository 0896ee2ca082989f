import { expect, test } from "vitest";
import { superviseRestarts } from "../../support/restart-supervisor.ts";
import { until } from "../../support/until.ts";

test("a container that ends again and again is restarted at the kubelet's growing intervals", async () => {
  const container = { ended: async () => 1, start: async () => undefined };
  await using supervisor = superviseRestarts(container, { timesFaster: 10_000 });
  await until(
    () => supervisor.restarts.length,
    (count) => count >= 8,
  );
  const seconds = supervisor.restarts.slice(0, 8).map(({ backOffMs }) => backOffMs / 1000);
  expect(seconds).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

test("a container that ran for more than ten minutes is restarted at once", async () => {
  const ends = [Promise.resolve(1), Promise.resolve(1), new Promise<number>((resolve) => setTimeout(resolve, 70, 1))];
  const container = { ended: () => ends.shift() ?? new Promise<number>(() => undefined), start: async () => undefined };
  await using supervisor = superviseRestarts(container, { timesFaster: 10_000 });
  await until(
    () => supervisor.restarts.length,
    (count) => count === 3,
  );
  expect(supervisor.restarts.map(({ backOffMs }) => backOffMs / 1000)).toEqual([0, 10, 0]);
});

test("nothing is started while it is held", async () => {
  let end = (_: number): void => undefined;
  const container = {
    ended: () => new Promise<number>((resolve) => (end = resolve)),
    start: async () => undefined,
  };
  await using supervisor = superviseRestarts(container, { timesFaster: 1 });
  const { release } = supervisor.hold();
  end(7);
  await until(
    () => supervisor.ends,
    (ends) => ends === 1,
  );
  expect(supervisor.restarts).toEqual([]);
  release();
  expect(
    await until(
      () => supervisor.restarts,
      ({ length }) => length === 1,
    ),
  ).toEqual([{ status: 7, backOffMs: 0 }]);
});
