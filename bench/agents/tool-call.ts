import type { Ports } from '../../shared/adapters/ports/ports.ts';
import { tenantSandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { callTool } from '../../shared/execution/tools/call-tool.ts';
import { openTools } from '../../shared/execution/tools/open-tools.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';

const callsPerRun = 50;
const runs = 40;

const tool = {
  id: `tool_${'0'.repeat(26)}`,
  name: 'Run',
  description: 'Runs the flow',
  toolType: 'flow',
  isActive: true,
  parametersSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1, pattern: '^[A-Z]' },
      days: { type: 'integer', minimum: 1, maximum: 14 },
      units: { enum: ['metric', 'imperial'] },
    },
    required: ['city'],
    additionalProperties: false,
  },
  config: { flowId: `flow_${'0'.repeat(26)}` },
};
const args = { city: 'Oslo', days: 3, units: 'metric' };

/** (q) What a call of a tool costs beside the call itself: loading it, checking its arguments, its result. */
export async function measureToolCall(): Promise<Figure[]> {
  printProgress('q: overhead of a tool call');
  const ports = {
    now: () => new Date(),
    sandbox: tenantSandbox('bench'),
    tools: { find: async () => new Map([[tool.id, tool]]) },
    flows: { run: async ({ inputs }) => ({ output: inputs }) },
  } as Partial<Ports> as Ports;
  const times: { cpuMs: number; elapsedMs: number }[] = [];
  for (let run = -5; run < runs; run++) {
    const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
    for (let count = 0; count < callsPerRun; count++) await callOnce(ports);
    const { user, system } = process.cpuUsage(cpuBefore);
    const elapsedMs = (performance.now() - began) / callsPerRun;
    if (run >= 0) times.push({ cpuMs: (user + system) / 1_000 / callsPerRun, elapsedMs });
  }
  const cpu = times.map(({ cpuMs }) => cpuMs);
  return [
    {
      figure: 'q',
      what: 'processor time of all threads that a tool call takes beside the call itself',
      value: round(median(cpu), 4),
      unit: 'ms',
      goal: { atMost: 1 },
      details: {
        best: round(Math.min(...cpu), 4),
        elapsedMs: round(median(times.map(({ elapsedMs }) => elapsedMs)), 4),
        callsPerRun,
        runs,
      },
    },
  ];
}

async function callOnce(ports: Ports): Promise<void> {
  const [opened] = await openTools(ports, [tool.id], { permissions: null });
  if (opened) await callTool(opened, args, new AbortController().signal);
}
