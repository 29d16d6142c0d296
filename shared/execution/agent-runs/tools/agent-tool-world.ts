import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import type { NewId } from '../../../core/ids.ts';
import type { ExternalConfig } from '../../../domain/agents/config/external-config.ts';
import type { McpServer } from '../../../domain/flows/steps/mcp-server.ts';
import type { OwnTools } from '../../../domain/tools/own-tool-problems.ts';
import type { Loop } from '../../agent-loop/loop.ts';
import type { ClientTool } from '../input/run-input.ts';
import type { CodeCalls } from './code-calls.ts';

export interface LoopToolWorld {
  /** Those that count what is spent. */
  ports: Ports;
  model: string;
  needsApproval: Loop['needsApproval'];
  limits: Loop['limits'];
  codeCalls: CodeCalls;
  newId: NewId;
  conversation: () => readonly ModelMessage[];
}

export interface AgentToolWorld extends LoopToolWorld {
  /** With the values of their credentials, as `skills`. */
  mcpServers: readonly McpServer[];
  /** For a spawned agent: the tools of the one that spawned it, as `mcpServers`. */
  inherited?: OwnTools | undefined;
  /** An external agent whose skills are tools. */
  skills: ExternalConfig | null;
  clientTools: readonly ClientTool[] | undefined;
  /** Whose memory it is. */
  profile: string;
  signal: AbortSignal;
}
