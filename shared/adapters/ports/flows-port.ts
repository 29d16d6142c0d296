import type { Unmasked } from '../../core/redaction/hidden.ts';
import type { ListedParent } from './agents-port.ts';
import type { Ports } from './ports.ts';

/** The tenant's flows. */
export interface FlowsPort {
  /**
   * Runs the published version inside of the current run, with its ports. @throws StepError if there is none, it fails,
   * it has to wait for long, or flows run each other too deeply.
   */
  run: (request: {
    flowId: string;
    inputs: Record<string, unknown>;
    ports: Ports;
    /** Of the call: acts in the flow have the same keys whenever it is repeated. */
    callId?: string | undefined;
    /** The listed run in which it runs. Default: that of the port. */
    parent?: ListedParent | undefined;
    /** Whether the call may end with `CallSuspended`, and is made again when the flow has ended. */
    canWait?: true | undefined;
    signal: AbortSignal;
  }) => Promise<{ output: unknown } & Unmasked>;
}
