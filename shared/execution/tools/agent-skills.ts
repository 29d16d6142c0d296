import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import type { ExternalConfig } from '../../domain/agents/config/external-config.ts';
import { callAgent } from '../external-agents/call-agent.ts';
import { type ExternalAgent, openExternalAgent } from '../external-agents/external-agent.ts';
import { type ChosenSkill, listToolSkills } from '../external-agents/orchestration.ts';
import type { ToolOutcome } from '../tool-support/tool-runner.ts';
import {
  checkArguments,
  type PlannedCall,
  type RunnableTool,
  runTool,
  type ToolCallContext,
} from './call-tool.ts';
import { makeNamesUnique, toToolName } from './tool-name.ts';
import { filterUsableSchemas } from './usable-schemas.ts';

const skillsMax = 128;
const descriptionCharactersMax = 4_000;

const message: JsonSchema = {
  type: 'object',
  properties: { message: { type: 'string', minLength: 1, description: 'The task, with all that it takes' } },
  required: ['message'],
  additionalProperties: false,
};

/** Calls of one run belong to one conversation. @param config With the value of the credentials. @throws StepError */
export async function openAgentSkills(
  ports: Ports,
  config: ExternalConfig,
  signal: AbortSignal,
): Promise<RunnableTool[]> {
  const agent = await openExternalAgent(ports, config, signal);
  const chosen = listToolSkills({ ...config, cachedAgentCard: agent.card }).slice(0, skillsMax);
  const { usable } = await filterUsableSchemas(
    ports,
    chosen.flatMap(({ skill: { id, inputSchema } }) =>
      inputSchema ? [{ name: id, parameters: toSchema(inputSchema) }] : [],
    ),
    signal,
  );
  const schemas = new Map(usable.map(({ name, parameters }) => [name, parameters]));
  const conversation: Conversation = {};
  return makeNamesUnique(
    chosen.map((skill) => toSkillTool(agent, skill, schemas.get(skill.skill.id), conversation)),
  );
}

const toSchema = ({ $schema: _draft, ...schema }: Record<string, unknown>): JsonSchema => ({
  ...schema,
  type: 'object',
});

interface Conversation {
  contextId?: string | undefined;
  /** Of a task that waits for input, with its skill. */
  waiting?: { skillId: string; taskId: string | undefined } | undefined;
}

function toSkillTool(
  agent: ExternalAgent,
  { skill, override }: ChosenSkill,
  schema: JsonSchema | undefined,
  conversation: Conversation,
): RunnableTool {
  const name = toToolName(override?.exposedName ?? skill.name);
  const parameters = schema ?? message;
  const description = override?.exposedDescription ?? skill.description ?? skill.name;
  const check = (args: unknown, signal: AbortSignal) =>
    checkArguments(agent.ports, { name, parameters }, args, signal);

  async function plan(rawArguments: unknown, signal: AbortSignal): Promise<PlannedCall> {
    const args = await check(rawArguments, signal);
    return {
      request: { url: agent.base.agent.url, skill: skill.id, arguments: args },
      perform: (call) => perform(args, signal, call),
    };
  }

  function perform(
    args: Record<string, unknown>,
    signal: AbortSignal,
    call: ToolCallContext | undefined,
  ): Promise<ToolOutcome> {
    const parts: A2aPart[] = schema ? [{ data: args }] : [{ text: String(args.message) }];
    const { contextId, waiting } = conversation;
    const taskId = waiting?.skillId === skill.id ? waiting.taskId : undefined;
    return runTool(name, async () => {
      for await (const event of callAgent(agent, { parts, skillId: skill.id, contextId, taskId, signal })) {
        if (event.type === 'text-delta') call?.emit({ type: 'output', delta: event.text });
        if (event.type !== 'end') continue;
        const asks = event.state === 'input-required';
        conversation.contextId = event.contextId ?? contextId;
        conversation.waiting = asks ? { skillId: skill.id, taskId: event.taskId } : undefined;
        return { output: toOutput(event, asks) };
      }
      throw new StepError('The agent did not answer');
    });
  }

  return {
    id: `a2a:${skill.id}`,
    name,
    parameters,
    type: 'external',
    repeatable: false,
    plan,
    description: truncate(description, descriptionCharactersMax),
    async preview(args, signal) {
      return { url: agent.base.agent.url, skill: skill.id, arguments: await check(args, signal) };
    },
  };
}

/** The text alone, unless there is more. */
function toOutput(
  { text, artifacts }: { text: string; artifacts: readonly { parts: readonly A2aPart[] }[] },
  asks: boolean,
): unknown {
  const data = artifacts.flatMap(({ parts }) => parts.filter((part) => !('text' in part)));
  if (!asks && data.length === 0) return text;
  return { text, ...(data.length > 0 && { data }), ...(asks && { state: 'input-required' }) };
}
