import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { AgentCapability } from '../../domain/agents/config/agent.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import type { ExternalConfig } from '../../domain/agents/config/external-config.ts';
import { toTimeoutMs } from '../../domain/flows/steps/mcp-server.ts';
import { toModelReasoning } from '../../domain/flows/steps/reasoning.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { answerChecker } from '../agent-loop/json-answer.ts';
import type { Loop } from '../agent-loop/loop.ts';
import type { RunBudget } from '../agent-loop/run-budget.ts';
import { openMeter } from '../model-costs/model-meter.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { loadAgentContext } from './agent-context.ts';
import { createBeforeTurn } from './before-turn.ts';
import type { ChatHistory } from './chat-history.ts';
import { externalModel } from './external-model.ts';
import type { RunInput } from './input/run-input.ts';
import {
  approvalGate,
  type CodeCalls,
  type LoopToolWorld,
  toolLimits,
  withCapabilityTools,
} from './tools/agent-tools.ts';

/** Without a config an agent responds once (docs/decisions/agents.md). */
export const agentTurnsMax = ({ loopConfig }: AgentConfig) => loopConfig?.maxTurns ?? 1;

const dayMs = 86_400_000;
/** How long a caller has to execute a tool. Then the run fails. */
const outputWaitMs = 7 * dayMs;

export interface OpenedLoop {
  loop: Loop;
  /** The model calls since the last time it was asked. */
  takeCalls: () => ModelCall[];
}

/** Opens the loop of an agent. @throws StepError if a tool cannot be opened. */
export async function openLoop(
  { newId, now }: Pick<Scope, 'newId' | 'now'>,
  { config, capabilities }: { config: AgentConfig; capabilities: readonly AgentCapability[] },
  input: RunInput,
  {
    ports,
    budget,
    codeCalls,
    externalConfig,
    openTools,
    chatHistory,
    streamed,
    signal,
  }: {
    ports: Ports;
    budget: RunBudget;
    codeCalls: CodeCalls;
    /** Of an external agent that answers by itself, with the value of its credentials. */
    externalConfig: ExternalConfig | null;
    openTools: (world: LoopToolWorld) => Promise<{ tools: RunnableTool[]; warnings: string[] }>;
    chatHistory?: ChatHistory | undefined;
    streamed: boolean;
    signal: AbortSignal;
  },
): Promise<OpenedLoop> {
  const meter = openMeter(ports);
  let counted: ModelCall[] = [];
  const request = requestOf(config, input, streamed);
  let conversation: readonly ModelMessage[] = [];
  const needsApproval = approvalGate(withCapabilityTools(config.tools?.approval, capabilities));
  const { limits, requiredTools } = toolLimits(config.tools ?? {}, capabilities);
  const { tools, warnings } = await openTools({
    ports: meter.ports,
    model: request.model,
    needsApproval,
    limits,
    codeCalls,
    newId,
    conversation: () => conversation,
  });
  for (const message of warnings) meter.ports.warn({ code: 'TOOLS_MISSING', message });
  const spent = () => {
    const { calls, spent } = meter.drain();
    counted.push(...calls);
    return { ...spent, ...codeCalls.drain() };
  };
  const { model: modelName } = request;
  const model = externalConfig ? externalModel(ports, externalConfig) : meter.ports.model;
  const context = () =>
    loadAgentContext({ config, input, modelName, ports: meter.ports, warnings, now: now(), signal });
  const isExternal = externalConfig !== null;
  const turnWorld = { config, model, modelName, tools, context, chatHistory, spent, budget, isExternal };
  const beforeTurn = createBeforeTurn({ ...turnWorld, now, signal });
  return {
    loop: {
      model,
      tools,
      newId,
      now,
      signal,
      request,
      spent,
      warn: meter.ports.warn,
      beforeTurn: async (state) => {
        conversation = state.messages;
        return beforeTurn(state);
      },
      toolChoice: config.tools?.toolCallStrategy,
      turnsMax: agentTurnsMax(config),
      limits,
      requiredTools,
      errorHandling: config.errorHandling,
      needsApproval,
      mayEndEmpty: true,
      checkAnswer: input.responseSchema && answerChecker(ports, input.responseSchema, signal),
      waitMs: { approval: toTimeoutMs(config.tools?.approval?.timeout ?? dayMs), output: outputWaitMs },
    },
    takeCalls() {
      const calls = counted;
      counted = [];
      return calls;
    },
  };
}

function requestOf(
  config: AgentConfig,
  { modelOverride, responseSchema: schema }: RunInput,
  streamed: boolean,
): Loop['request'] {
  const { model = 'default', promptCaching } = config;
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  return {
    model: modelOverride ?? model,
    reasoning: toModelReasoning(config.reasoning),
    ...(schema && { format: { type: 'json', schema } }),
    settings: { temperature, topP, topK, frequencyPenalty, presencePenalty, seed },
    promptCaching,
    streamed,
  };
}
