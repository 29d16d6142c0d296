import type { Ports } from '../../shared/adapters/ports/ports.ts';
import { tenantSandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import type { FlowStep } from '../../shared/domain/flows/steps/step.ts';
import { runFlow } from '../../shared/execution/engine/engine.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';

const stepsPerRun = 50;
const runs = 40;

const kinds = {
  'set-variable': {
    goal: 0.2,
    config: (n: number) => ({ variableName: `v${n}`, value: '{{ name }}' }),
  },
  'transform-data': {
    // CPU time of this process only: the script runs in another thread.
    goal: 1,
    config: (n: number) => ({ script: 'return { of: name, n: 1 + 1 }', outputVariable: `v${n}` }),
  },
} as const;

/** (h) The overhead of the engine for a step whose work takes no time. */
export async function measureEngine(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [type, { goal, config }] of Object.entries(kinds)) {
    printProgress(`h: engine overhead of ${type}`);
    const steps = Array.from(
      { length: stepsPerRun },
      (_, n): FlowStep => ({ id: `step_${n}`, type, name: type, order: n, enabled: true, config: config(n) }),
    );
    const times: { cpuMs: number; elapsedMs: number }[] = [];
    for (let run = -5; run < runs; run++) {
      const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
      await runAll(steps);
      const { user, system } = process.cpuUsage(cpuBefore);
      const elapsedMs = (performance.now() - began) / stepsPerRun;
      if (run >= 0) times.push({ cpuMs: (user + system) / 1_000 / stepsPerRun, elapsedMs });
    }
    const cpu = times.map(({ cpuMs }) => cpuMs);
    const value = round(median(cpu), 4);
    figures.push({
      figure: 'h',
      what: `processor time that the engine adds to a ${type} step`,
      value,
      unit: 'ms',
      goal: { atMost: goal },
      details: {
        best: round(Math.min(...cpu), 4),
        elapsedMs: round(median(times.map(({ elapsedMs }) => elapsedMs)), 4),
        stepsPerRun,
        runs,
      },
    });
  }
  return figures;
}

async function runAll(steps: readonly FlowStep[]): Promise<void> {
  const ports = { now: () => new Date(), sandbox: tenantSandbox('bench') } as Ports;
  const signal = new AbortController().signal;
  const outcome = await runFlow({ steps, variables: { name: 'Ada' }, ports, signal });
  if (!('end' in outcome) || !outcome.end.success) throw new Error(JSON.stringify(outcome));
}
