import type { Ports } from './ports.ts';

export interface FlowsPort {
  /** Inside of the current run. @throws StepError if there is none, it fails, waits for long or nests too deeply */
  run: (request: {
    flowId: string;
    inputs: Record<string, unknown>;
    ports: Ports;
    signal: AbortSignal;
  }) => Promise<{ output: unknown }>;
}
