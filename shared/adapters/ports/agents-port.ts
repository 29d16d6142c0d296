import type { StepErrorCode } from '../../core/errors/step-error.ts';
import type { Warning } from '../../core/warnings.ts';
import type { Payer } from './payer.ts';
import type { Spending } from './spending.ts';

/** The tenant's agents. */
export interface AgentsPort {
  /**
   * Runs an agent to its end, as an execution of its own inside of the current run. @throws StepError if it cannot be
   * run.
   */
  run: (request: AgentRequest) => Promise<AgentOutcome>;
  /** The version that a call of `run` runs if it follows. @throws StepError if there is no such agent. */
  versionOf: (agentId: string) => Promise<string>;
}

/** A listed run in which others run. */
export interface ListedParent {
  runId: string;
  rootRunId: string;
}

export interface AgentRequest {
  /** A stored agent by its id, or one that exists for this run only. */
  agent: string | InlineAgentRequest;
  message: string;
  /** Of the call. An interrupted run goes on when the same call is made again. */
  callId?: string | undefined;
  timeoutMs?: number | undefined;
  /** On whose account it calls models, beside those of the run that the port is of. */
  payers?: readonly Payer[] | undefined;
  /** The listed run in which it runs. Default: that of the port. */
  parent?: ListedParent | undefined;
  /** Whether what runs it cannot be suspended. */
  cannotWait?: true | undefined;
  signal: AbortSignal;
  /** Receives the texts of the agent as they come. */
  onText?: ((delta: string) => void) | undefined;
}

interface InlineAgentRequest {
  name: string;
  config: Record<string, unknown>;
  system?: string | undefined;
  /** The tools of the calling agent that the pools of this one may name, with the values of credentials: never stored. */
  inherited: { runtimeTools: readonly object[]; mcpServers: readonly object[] };
}

interface AgentOutcome {
  executionId: string;
  output: unknown;
  /** Why the run failed; null if it did not. */
  error: string | null;
  errorCode?: StepErrorCode | undefined;
  /** Of the run, which has counted it itself. */
  spending: Spending;
  warnings?: readonly Warning[];
}
