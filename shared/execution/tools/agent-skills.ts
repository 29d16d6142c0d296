/**
 * Calls an external agent by A2A, as a whole (`delegate`) or by its skills as tools of a model (`openAgentSkills`).
 * Opening chooses the address: the card's only if it is of the configured origin, or no credentials would be sent.
 * Credentials are redacted from everything that the agent sends back. Which skills there are comes from the cached
 * card, else from a card that is fetched now.
 * Calls of one run belong to one conversation: the context of an answer is sent with the next message, and a task that
 * waits for input gets it by the next call of the same skill. Skills are not repeatable: an interrupted call has an
 * unknown outcome.
 * The runs of agents call it (`agent-runs/agent-input.ts`, `agent-tools.ts`, `open-loop.ts`); `getAgentOrchestration`
 * says which of the two ways an agent has.
 */
import { fetchAgentCard } from '../../adapters/a2a-client/fetch-agent-card.ts';
import type { A2aAgent, A2aEvent, A2aPart, A2aRequest } from '../../adapters/ports/a2a-port.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { getTraceHeaders } from '../../core/active-span.ts';
import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { plainStart, truncate } from '../../core/text.ts';
import type { CachedAgentCard, ExternalConfig, Skill } from '../../domain/agents/config/external-config.ts';
import { toCachedCard } from '../../domain/agents/external-card.ts';
import { toCredentialHeaders } from '../step-support/http-request.ts';
import { redactA2a } from '../step-support/masks.ts';
import type { ToolOutcome } from '../tool-support/tool-runner.ts';
import {
  checkArguments,
  type PlannedCall,
  type RunnableTool,
  runTool,
  type ToolCallContext,
} from './call-tool.ts';
import { filterUsableSchemas } from './open-tools.ts';
import { makeNamesUnique, toToolName } from './tool-name.ts';

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

type AgentAnswer = Extract<A2aEvent, { type: 'end' }>;
type AgentProgress = Exclude<A2aEvent, { type: 'end' | 'failure' }>;

const wordsMax = 300;

/** The last event is the answer: complete, or a question. @throws StepError also if the agent says that it failed */
async function* callAgent(
  { ports, base }: ExternalAgent,
  message: Pick<A2aRequest, 'parts' | 'skillId' | 'contextId' | 'taskId' | 'signal'>,
): AsyncGenerator<AgentProgress | AgentAnswer, void> {
  for await (const event of ports.a2a.send({
    ...base,
    ...message,
    headers: { ...getTraceHeaders(), ...base.headers },
  })) {
    if (event.type === 'failure') throw toRefusal(event);
    if (event.type === 'end' && !isAnswer(event)) {
      throw new StepError(sentence(`The agent ended its task as ${event.state}`, event.text));
    }
    yield event;
  }
}

const isAnswer = ({ state }: AgentAnswer) => state === 'completed' || state === 'input-required';

function toRefusal({ failure, status }: Extract<A2aEvent, { type: 'failure' }>): StepError {
  if (status === 401 || status === 403) {
    return new StepError(
      sentence(
        `The agent asks for authorization (${status}): check externalConfig.auth. It answered`,
        failure,
      ),
    );
  }
  const what = status === undefined ? 'The agent answered with an error' : `The agent answered ${status}`;
  return new StepError(sentence(what, failure), status === undefined ? {} : failureOfStatus(status));
}

function sentence(what: string, words: string): string {
  const plain = plainStart(words, wordsMax);
  return plain ? `${what}: ${plain}` : what;
}

interface ExternalAgent {
  ports: Ports;
  /** Undefined if the agent has none, or it cannot be fetched. */
  card: CachedAgentCard | undefined;
  /** What each message has. */
  base: Pick<A2aRequest, 'agent' | 'headers' | 'timeoutMs' | 'retries'>;
}

/** @param config With the value of the credentials, which does not leave the calls. @throws StepError */
async function openExternalAgent(
  ports: Ports,
  config: ExternalConfig,
  signal: AbortSignal,
): Promise<ExternalAgent> {
  const { auth, timeoutMs = 60_000, retryCount: retries = 2 } = config;
  const inside = redactPorts(ports, auth?.credentials);
  const card = config.cachedAgentCard ?? (await fetchCard(inside, config, signal));
  const headers = toHeaders(auth);
  const base = {
    agent: toAddress(config, card, Object.keys(headers).length > 0),
    headers,
    timeoutMs,
    retries,
  };
  return { ports: inside, card, base };
}

/** @throws StepError if only the card says where the agent is. */
async function fetchCard(
  { fetch, now }: Ports,
  { agentCardUrl, endpoint }: ExternalConfig,
  signal: AbortSignal,
): Promise<CachedAgentCard | undefined> {
  try {
    const card = await fetchAgentCard(agentCardUrl ?? endpoint ?? '', signal, fetch);
    return toCachedCard(card, now().toISOString());
  } catch (error) {
    if (error instanceof StepError && endpoint) return undefined;
    throw error;
  }
}

/** The card knows the path of an agent of which the config names only the origin. */
function toAddress(
  { endpoint, agentCardUrl }: ExternalConfig,
  card: CachedAgentCard | undefined,
  hasCredentials: boolean,
): A2aAgent {
  const { url, protocolBinding, protocolVersion, capabilities } = card ?? {};
  const more = { protocolVersion, streaming: capabilities?.streaming };
  const configured = endpoint ?? agentCardUrl ?? '';
  if (url && sameOrigin(url, configured)) return { ...more, url, protocolBinding };
  if (endpoint) return { ...more, url: endpoint };
  if (!url) {
    throw new StepError("The agent's card does not say where the agent is; give externalConfig.endpoint");
  }
  if (hasCredentials) {
    throw new StepError(
      `The agent's card names another origin, ${url}; give it as externalConfig.endpoint to send your credentials there`,
    );
  }
  return { ...more, url, protocolBinding };
}

const sameOrigin = (one: string, other: string) =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

function toHeaders(auth: ExternalConfig['auth']): Record<string, string> {
  const { type = 'none', credentials = '', headerName } = auth ?? {};
  if (credentials === '') return {};
  const [username = '', ...password] = credentials.split(':');
  return type === 'basic'
    ? toCredentialHeaders({ type, username, password: password.join(':') })
    : toCredentialHeaders({ type, token: credentials, headerName });
}

/** A server could repeat its credentials in its responses. */
function redactPorts(ports: Ports, credentials: string | undefined): Ports {
  if (credentials === undefined) return ports;
  const password = credentials.split(':').slice(1).join(':');
  const values = new Map([['externalConfig.auth.credentials', credentials]]);
  if (password !== '') values.set('externalConfig.auth.password', password);
  return { ...ports, a2a: redactA2a(ports.a2a, values) };
}

/** What goes to the agent. `contextId` and `taskId` are those of an earlier answer of the same conversation. */
export interface DelegatedMessage {
  parts: readonly A2aPart[];
  contextId?: string | undefined;
  taskId?: string | undefined;
  signal: AbortSignal;
}

/** Yields what the agent does, and its answer last. @param config With the value of the credentials. @throws StepError */
export async function* delegate(
  ports: Ports,
  config: ExternalConfig,
  message: DelegatedMessage,
): AsyncGenerator<AgentProgress | AgentAnswer, void> {
  const agent = await openExternalAgent(ports, config, message.signal);
  const skillId = delegateSkill({ ...config, cachedAgentCard: agent.card });
  yield* callAgent(agent, { ...message, skillId });
}

type Override = NonNullable<ExternalConfig['skillsOverride']>[number];

interface ChosenSkill {
  skill: Skill;
  override: Override | undefined;
}

const defaultPrompt =
  'You answer by means of the skills of another agent, which are your tools. Give each tool all that it needs to know: it does not see this conversation. Pass on questions that the agent asks. Say so if a skill fails.';

/**
 * How messages reach an external agent. `delegate`: the agent gets each message as it is. Otherwise a model answers, with
 * the agent's skills as its tools. `native` and `none` mean `delegate`; `managed` means `agent_skill` with the default
 * prompt.
 */
export function getAgentOrchestration({
  skillOrchestration = 'delegate',
  skillOrchestrator,
}: ExternalConfig) {
  if (skillOrchestration !== 'agent_skill' && skillOrchestration !== 'managed') return 'delegate' as const;
  const { systemPrompt, ...model } = skillOrchestrator ?? { model: 'default' };
  const isManaged = skillOrchestration === 'managed' || !systemPrompt;
  return { ...model, systemPrompt: isManaged ? defaultPrompt : systemPrompt };
}

function listEnabledSkills({ skillsOverride = [], cachedAgentCard }: ExternalConfig): ChosenSkill[] {
  const overrides = new Map(skillsOverride.map((override) => [override.id, override]));
  return (cachedAgentCard?.skills ?? [])
    .map((skill) => ({ skill, override: overrides.get(skill.id) }))
    .filter(({ override }) => override?.enabled !== false && override?.role !== 'hidden');
}

/** The skills that a model may call: those with the role `tool`, else all that are enabled and not hidden. */
function listToolSkills(config: ExternalConfig): ChosenSkill[] {
  const enabled = listEnabledSkills(config);
  const tools = enabled.filter(({ override }) => override?.role === 'tool');
  return tools.length > 0 ? tools : enabled;
}

/** The skill that delegated messages are for: the one that orchestrates, else the only one that stands alone. */
export function delegateSkill(config: ExternalConfig): string | undefined {
  const enabled = listEnabledSkills(config);
  const orchestrator = enabled.find(({ override }) => override?.role === 'orchestrator');
  const alone = enabled.filter(({ override }) => override?.role === 'standalone');
  return (orchestrator ?? (alone.length === 1 ? alone[0] : undefined))?.skill.id;
}
