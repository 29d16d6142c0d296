/**
 * Starts a run of an agent: checks the request, renders its prompt, stores its input and records the execution.
 * Order: schemas and budgets (400, BUDGET_EXCEEDED), templates, payloads, then the execution and its listing.
 * `alsoWrite` joins the transaction of the execution and its listing. `prepareRun` is for callers whose own transaction starts
 * the run.
 * A run in front of a caller has a holder at once; one in the background has none until a worker acquires it.
 */
import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { getStartedIn } from '../../core/active-span.ts';
import { type ErrorDetail, invalid, invalidAt } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { unixSeconds } from '../../core/time.ts';
import type { Variables } from '../../core/variables.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { listedSeconds } from '../../domain/listed-seconds.ts';
import { createRunWrite } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { payloadRemover, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { PutWrite, Write } from '../../platform/data/writes.ts';
import { type Principal, userVariables } from '../../platform/identity/principal.ts';
import type { StateFact } from '../agent-loop/facts.ts';
import { startBudgetCheck } from '../model-calls/budget-accounts.ts';
import { type AgentExecution, agentExecutionEntity, runLease, toAgentRun } from './agent-execution.ts';
import {
  type AgentToRun,
  type ClientTool,
  type RunHistory,
  type RunInput,
  toRunnableConfig,
} from './agent-input.ts';
import type { AgentRun } from './execute-agent-run.ts';
import { getTurnsMax } from './open-loop.ts';
import { runLog } from './run-log.ts';

export interface AgentRunRequest {
  agent: AgentToRun;
  messages: readonly Message[];
  inputs?: Variables | undefined;
  owner: Pick<Principal, 'userId' | 'organizationId'>;
  permissions: readonly string[];
  surfaceType: string;
  surface?: RunSurface | undefined;
  background: boolean;
  /** Whether this process begins a run in the background. A worker continues it if the process dies. */
  beginsHere?: boolean | undefined;
  timeoutMs?: number | undefined;
  modelOverride?: string | undefined;
  /** The system prompt, which is no template, instead of the agent's. */
  system?: string | undefined;
  /** When the previous message of the conversation was sent. ISO. */
  previousMessageAt?: string | undefined;
  history?: RunHistory | undefined;
  responseSchema?: JsonSchema | undefined;
  clientTools?: readonly ClientTool[] | undefined;
  origin: RunOrigin;
  parent?: (Pick<AgentExecution, 'id' | 'rootAgentId' | 'depth'> & { isAgent: boolean }) | undefined;
  parentToolCallId?: string | undefined;
  id?: string | undefined;
  /** Whether nobody can have used `id`. Default: whether it is made here. */
  isNewId?: boolean | undefined;
  /** Of a run that repeats another one: what that was given, and what it came to. */
  repeated?: { input: RunInput; state: StateFact | undefined } | undefined;
  /** What is written in the transaction that starts the run. */
  alsoWrite?: readonly Write[] | undefined;
}

/** Longer JSON goes to the payload bucket: each change of an item pays for its size. */
const inlineMax = 8_000;
const getTimeoutMs = (background: boolean) => (background ? 3_600_000 : 600_000);

/** Records that a run starts. @returns it, for its process. @throws 400 if the system prompt cannot be rendered; BUDGET_EXCEEDED */
export async function startRun(scope: Scope, request: AgentRunRequest, sandbox: Sandbox): Promise<AgentRun> {
  const { run, facts } = await buildRun(scope, request, sandbox);
  const alsoWrite = [...facts, ...(request.alsoWrite ?? [])];
  await recordStart(scope, run.execution, { isNewId: request.isNewId ?? !request.id, alsoWrite });
  return run;
}

/** A run that starts with the transaction of somebody else, who commits its writes, or discards it. */
export interface PreparedAgentRun {
  run: AgentRun;
  writes: readonly Write[];
  /** Removes what it has stored. Only if nothing was committed. */
  discard: () => Promise<void>;
}

/** Prepares a run that is in no other. @throws as `startRun`, also what it would refuse. */
export async function prepareRun(
  scope: Scope,
  request: AgentRunRequest,
  sandbox: Sandbox,
): Promise<PreparedAgentRun> {
  const { run, facts } = await buildRun(scope, request, sandbox);
  const { input, spec } = run.execution;
  return {
    run,
    writes: [...startWrites(scope, run.execution), ...facts],
    async discard() {
      const pointers = [input, spec].flatMap((stored) =>
        stored && 'pointer' in stored ? [stored.pointer] : [],
      );
      await payloadRemover().remove(pointers);
    },
  };
}

async function buildRun(
  scope: Scope,
  request: AgentRunRequest,
  sandbox: Sandbox,
): Promise<{ run: AgentRun; facts: Write[] }> {
  const { agent, parent } = request;
  const config = toRunnableConfig(agent.content);
  const isOwnModel = agent.content.agentType !== 'external';
  await Promise.all([
    checkSchemas(request, sandbox),
    !parent && isOwnModel && startBudgetCheck(scope).agent(agent.id, request),
  ]);
  const { now, newId } = scope;
  const id = request.id ?? newId('exec');
  const at = now();
  const startedAt = at.toISOString();
  const input = request.repeated?.input ?? (await buildInput(request, { id, startedAt }, sandbox));
  const payloads = payloadWriter(scope);
  const offload = (name: string, value: unknown) =>
    payloads.offload(`agent-runs/${id}/${name}`, value, inlineMax);
  const [storedInput, spec] = await Promise.all([
    offload('input', input),
    agent.versionId ? null : offload('spec', agent.content),
  ]);
  const execution = buildExecution(request, config, {
    id,
    at,
    input: storedInput,
    spec,
    newId,
  });
  const taken = request.repeated?.state;
  const log = taken ? [{ n: 0, lastSeq: 0, holder: execution.holder, fact: taken }] : [];
  const facts = await Promise.all(log.map((entry) => runLog(scope).write(id, entry, execution.ttl)));
  const mayHaveBegun = taken !== undefined;
  return { run: { execution, content: agent.content, input, log, sentSeq: -1, mayHaveBegun }, facts };
}

async function buildInput(
  request: AgentRunRequest,
  started: { id: string; startedAt: string },
  sandbox: Sandbox,
): Promise<RunInput> {
  const { agent, owner } = request;
  const config = toRunnableConfig(agent.content);
  const fill = openFiller(request, started, sandbox);
  return {
    messages: request.messages,
    system: request.system ?? (await fill(config.systemPrompt ?? '', 'The system prompt')),
    profile: await renderProfile(config, owner, fill),
    modelOverride: request.modelOverride,
    previousMessageAt: request.previousMessageAt,
    // An external agent sees the conversation as it is.
    history: agent.content.agentType === 'external' ? undefined : request.history,
    responseSchema: request.responseSchema,
    clientTools: request.clientTools,
  };
}

interface StartedParts {
  id: string;
  at: Date;
  input: AgentExecution['input'];
  spec: AgentExecution['spec'];
  newId: Scope['newId'];
}

function buildExecution(
  request: AgentRunRequest,
  config: AgentConfig,
  { id, at, input, spec, newId }: StartedParts,
): AgentExecution {
  const { agent, owner, parent, background } = request;
  return {
    id,
    agentId: agent.id,
    agentName: agent.name,
    agentVersionId: agent.versionId,
    agentSource: agent.content.agentType === 'external' ? 'external' : 'native',
    parentExecutionId: parent?.id ?? null,
    ...(request.parentToolCallId && { parentToolCallId: request.parentToolCallId }),
    isInAgent: parent?.isAgent ?? false,
    ...getStartedIn(),
    rootAgentId: parent?.rootAgentId ?? agent.id,
    depth: parent ? parent.depth + 1 : (request.surface?.depth ?? 0),
    surfaceType: request.surfaceType,
    ...(request.surface && { surface: request.surface }),
    origin: request.origin,
    turnsMax: getTurnsMax(config),
    userId: owner.userId,
    organizationId: owner.organizationId,
    permissions: [...request.permissions],
    background,
    status: 'running',
    stopReason: null,
    error: null,
    startedAt: at.toISOString(),
    completedAt: null,
    iterations: null,
    inputTokens: null,
    outputTokens: null,
    totalCost: null,
    timeoutMs: request.timeoutMs ?? getTimeoutMs(background),
    activeMs: 0,
    restarts: 0,
    // A sub-agent runs in the process of its parent.
    ...runLease.toMembers(at, background && !parent && !request.beginsHere ? '' : newId('hold')),
    input,
    spec,
    isLogged: config.loggingPolicy !== 'off',
    ...(agent.id === null && { ttl: unixSeconds(at) + listedSeconds }),
  };
}

/** @throws 400 if a JSON Schema of the request is not valid. */
async function checkSchemas(
  { responseSchema, clientTools = [] }: AgentRunRequest,
  sandbox: Sandbox,
): Promise<void> {
  const schemas = [
    ...(responseSchema ? [{ path: 'options.responseFormat.schema', schema: responseSchema }] : []),
    ...clientTools.map(({ parametersSchema: schema }, index) => ({
      path: `clientTools.${index}.parametersSchema`,
      schema,
    })),
  ];
  const found = schemas.map(async ({ path, schema }) =>
    (await schemaProblems(sandbox, schema)).map((problem): ErrorDetail => {
      const at = problem.path ? `${path}.${problem.path}` : path;
      return { path: at, code: 'INVALID_SCHEMA', message: problem.message };
    }),
  );
  const problems = (await Promise.all(found)).flat();
  if (problems.length > 0) throw invalid(problems);
}

/** @throws 400 if a template cannot be rendered. */
function openFiller(
  { agent, inputs, messages, owner }: AgentRunRequest,
  { id, startedAt }: { id: string; startedAt: string },
  sandbox: Sandbox,
) {
  const filler = createFiller(
    {
      ...inputs,
      inputs: inputs ?? {},
      messages,
      _agent: { id: agent.id, name: agent.name },
      _execution: { id, timestamp: startedAt },
      ...userVariables(owner.userId),
    },
    sandbox,
  );
  return (template: string, what: string): Promise<string> =>
    filler.render(template).catch((error) => {
      if (!(error instanceof StepError)) throw error;
      throw invalidAt('inputs', 'INVALID_TEMPLATE', `${what}: ${error.message}`);
    });
}

async function renderProfile(
  { memory: { enabled, profileTemplate } = { enabled: false } }: AgentConfig,
  owner: AgentRunRequest['owner'],
  fill: ReturnType<typeof openFiller>,
): Promise<string> {
  if (!enabled || profileTemplate === undefined) return owner.userId;
  return fill(profileTemplate, 'The profile of the memory');
}

/** The execution, and its listing unless it is inside of another run. */
const startWrites = (scope: Scope, execution: AgentExecution): PutWrite[] => [
  scope.table.writes.insert(agentExecutionEntity, execution),
  ...(execution.parentExecutionId === null ? [createRunWrite(scope, toAgentRun(execution))] : []),
];

/** Records that a run starts. */
async function recordStart(
  scope: Scope,
  execution: AgentExecution,
  { isNewId, alsoWrite }: { isNewId: boolean; alsoWrite: readonly Write[] },
): Promise<void> {
  const { table } = scope;
  const started = startWrites(scope, execution);
  // Nobody else can have a new id, and nothing but the two is written.
  return isNewId && alsoWrite.length === 0 && execution.parentExecutionId === null
    ? table.insertAll(started)
    : table.commit([...started, ...alsoWrite]);
}
