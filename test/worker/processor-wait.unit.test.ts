import { expect, test } from "vitest";
import { ProcessorPressure } from "../../worker/processor-wait.ts";

function pressureOn(files: Record<string, string>, load = 0) {
  const machine = { now: 0, load, files };
  const pressure = new ProcessorPressure({
    read: (path) => machine.files[path],
    load: () => machine.load,
    processors: 2,
    now: () => machine.now,
  });
  return { machine, pressure };
}

const stalled = (ms: number) =>
  `some avg10=0.00 avg60=0.00 avg300=0.00 total=${ms * 1000}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n`;

test("pressure is the share of time since the last call in which something waited", () => {
  const { machine, pressure } = pressureOn({ "/proc/pressure/cpu": stalled(5000) });
  expect(pressure.read()).toBe(0);
  machine.now = 1000;
  machine.files = { "/proc/pressure/cpu": stalled(5250) };
  expect(pressure.read()).toBeCloseTo(0.25, 5);
});

test("the container's pressure goes before the machine's", () => {
  const { machine, pressure } = pressureOn({
    "/sys/fs/cgroup/cpu.pressure": stalled(0),
    "/proc/pressure/cpu": stalled(0),
  });
  machine.now = 1000;
  machine.files["/proc/pressure/cpu"] = stalled(1000);
  expect(pressure.read()).toBe(0);
});

test("without pressure stall information, the load beyond the processors stands for it", () => {
  const { machine, pressure } = pressureOn({}, 1);
  expect(pressure.read()).toBe(0);
  machine.load = 8;
  expect(pressure.read()).toBeCloseTo(0.75, 5);
});
