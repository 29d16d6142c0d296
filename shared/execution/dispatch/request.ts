/**
 * The body of a dispatch request: its schema, what the options mean together, and which permissions the request takes.
 * Combinations that make no sense are refused by the schema, with the path of the member, before anything is looked up
 * or written. `checkPermissions` then returns what the request takes beyond FLOWS:EXECUTE, because an inline flow could
 * otherwise do what its caller may not: store flows, read records, or send secrets to a server of its author.
 * The endpoint of dispatch and `protocols/surface` parse with it; `functions/dispatch/run.ts` checks the permissions,
 * and `prepare.ts` what needs the tenant's data.
 */
import * as z from 'zod';
import type { DetailCode } from '../../core/errors/error-codes.ts';
import { missingPermission } from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../core/name.ts';
import { Message } from '../../domain/conversations/message.ts';
import { FlowStepsInput } from '../../domain/flows/checking/flow-steps.ts';
import { secretKeysOfSteps } from '../../domain/flows/secret-keys.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { VariableName } from '../../domain/flows/steps/common-config.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import { stepTools } from '../../domain/flows/steps/prompt-tools.ts';
import { stepToolIds } from '../../domain/flows/steps/tool-reference.ts';
import { connectionsOfServers } from '../../domain/mcp-connections/named-connections.ts';
import { NewMetadata, RecordName, RecordType } from '../../domain/records/record.ts';
import { runLabelOptions } from '../../domain/runs/run-origin.ts';
import { permissionsToRun } from '../../domain/tools/own-tool-problems.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { DispatchedAgent } from '../agent-runs/agent-input.ts';
import { agentOptions, ClientTools } from '../agent-runs/run-options.ts';

const DispatchedFlow = z.strictObject({
  id: resourceId('flow').optional().meta({ description: 'The id of a stored flow' }),
  name: nameUpTo(255).optional(),
  description: z.string().max(2_000).refine(wellFormed, wellFormedOnly).nullable().optional(),
  steps: FlowStepsInput.optional().meta({
    description: 'An inline flow. With `id`: runs instead of the stored flow’s steps',
  }),
});

const DispatchedRecord = z.strictObject({
  id: resourceId('record')
    .optional()
    .meta({ description: 'The id of a stored record; excludes the other members' }),
  type: RecordType.optional(),
  name: RecordName.optional(),
  metadata: NewMetadata.optional(),
});

const Options = z.strictObject({
  streamResponse: z
    .boolean()
    .default(true)
    .meta({ description: 'true: server-sent events. false: one JSON response' }),
  ...agentOptions,
  ...runLabelOptions,
  flowMode: z.enum(['existing', 'create', 'upsert', 'virtual']).optional().meta({
    description:
      'How an inline flow is used. virtual (default): run it without saving. create: save and publish it. upsert: create the flow of that name or update its steps',
  }),
  recordMode: z.enum(['existing', 'create', 'virtual']).optional().meta({
    description:
      'How an inline record is used. virtual (default): only this run sees it. create: save it. existing: use the stored record of that type and name',
  }),
  storeResults: z.boolean().optional().meta({
    description: 'Whether to store step results. Default: true if the flow or the record is stored',
  }),
  autoAppendMetadata: z.boolean().default(false).meta({
    description:
      'Whether to merge the output variables into the stored record’s metadata at the end of the run',
  }),
  modelOverride: nameUpTo(255).optional().meta({
    description:
      'Replaces the model of every prompt: the id of a model config, `default`, a model of the catalog, or `<provider>/<modelId>`',
  }),
  debugMode: z.boolean().default(false).meta({ description: 'Includes the resolved prompts' }),
  upsertOptions: z
    .strictObject({
      createVersionOnChange: z
        .boolean()
        .default(true)
        .meta({ description: 'Whether to publish changed steps. If false, they stay in the draft' }),
      allowOverwriteExternalChanges: z.boolean().default(false).meta({
        description:
          'Whether to overwrite steps that were changed outside of upserts. If false, such a change leads to a 409',
      }),
    })
    .prefault({}),
});

const inputsMax = 1_000;

export const Inputs = z
  .record(VariableName, z.unknown())
  .refine((inputs) => Object.keys(inputs).length <= inputsMax, `A run takes at most ${inputsMax} inputs`);

const example = {
  flow: {
    name: 'Greet',
    steps: [
      {
        type: 'prompt',
        name: 'Greeting',
        config: { model: 'gpt-5-mini', userPrompt: 'Greet {{ person }} in one sentence.' },
      },
    ],
  },
  inputs: { person: 'Ada' },
};

export const DispatchBody = z
  .strictObject({
    flow: DispatchedFlow.optional(),
    agent: DispatchedAgent.optional().meta({
      description: 'An agent to run instead of a flow, with `messages`: a stored one, or an inline one',
    }),
    clientTools: ClientTools.optional().meta({
      description: 'For an agent: tools that you execute. When it calls one, the run pauses until resume',
    }),
    record: DispatchedRecord.optional(),
    inputs: Inputs.optional().meta({ description: `The initial variables, at most ${inputsMax}` }),
    messages: z
      .array(Message)
      .max(1_000)
      .optional()
      .meta({ description: 'The value of the variable `messages`' }),
    options: Options.prefault({}),
  })
  .superRefine(({ flow, agent, clientTools, record, messages, options }, context) => {
    const refuse = (path: string[], message: string, code: DetailCode = 'INVALID_VALUE') =>
      context.addIssue({ code: 'custom', params: { code }, path, message });
    if (agent) {
      if (flow) refuse(['agent'], 'Give either a flow or an agent');
      if (record?.id) refuse(['record', 'id'], 'A run of an agent takes an inline record only');
      if (!messages?.length)
        refuse(['messages'], 'Required: what the agent is to do', 'MISSING_REQUIRED_FIELD');
      return;
    }
    if (clientTools) refuse(['clientTools'], 'Only runs of agents have tools of the caller');
    for (const name of Object.keys(agentOptions) as (keyof typeof agentOptions)[]) {
      if (options[name]) refuse(['options', name], 'Only runs of agents have this option');
    }
    if (!flow && !record) {
      return refuse(
        ['flow'],
        'Required: expected a flow or an agent, and a record if the flow needs one',
        'MISSING_REQUIRED_FIELD',
      );
    }
    const { flowMode, recordMode, autoAppendMetadata, storeResults } = options;
    if (flowMode === 'existing' && !flow?.id) refuse(['flow', 'id'], 'flowMode existing requires flow.id');
    if ((flowMode === 'create' || flowMode === 'upsert') && flow && (flow.id || !flow.name)) {
      refuse(['flow', flow.id ? 'id' : 'name'], `flowMode ${flowMode} requires a name and steps, and no id`);
    }
    if (record?.id && Object.keys(record).length > 1) {
      refuse(['record'], 'Give only the id for a stored record');
    }
    const recordIsStored = record && (record.id || recordMode === 'create' || recordMode === 'existing');
    if (record && !record.id && recordIsStored && !(record.type && record.name)) {
      refuse(
        ['record', record.type ? 'name' : 'type'],
        `recordMode ${recordMode} requires a type and a name`,
      );
    }
    if (autoAppendMetadata && !recordIsStored) {
      refuse(
        ['options', 'autoAppendMetadata'],
        'Requires a stored record: give record.id, or set recordMode to create or existing',
      );
    }
    const flowIsStored = flow?.id || flowMode === 'create' || flowMode === 'upsert';
    if (storeResults && !recordIsStored && !flowIsStored) {
      refuse(['options', 'storeResults'], 'Requires a stored flow or a stored record');
    }
  })
  .meta({ examples: [example] });
export type DispatchBody = z.output<typeof DispatchBody>;

/**
 * @returns what the request takes beyond FLOWS:EXECUTE, since it does more than run a stored flow.
 * @throws 403 if the caller lacks such a permission.
 */
export async function checkPermissions(
  scope: Pick<Scope, 'table'>,
  { permissions }: Principal,
  { flow, record, options }: DispatchBody,
): Promise<Permission[]> {
  const needed = new Set<Permission>();
  const requirePermission = (permission: Permission) => {
    if (!covers(permissions, permission)) throw missingPermission(permission);
    needed.add(permission);
  };
  if (options.flowMode === 'create' || options.flowMode === 'upsert') requirePermission('FLOWS:WRITE');
  if (options.autoAppendMetadata || (record && options.recordMode === 'create'))
    requirePermission('RECORDS:WRITE');
  if (!flow?.steps) return [...needed];
  if (record?.id || options.recordMode === 'existing') requirePermission('RECORDS:READ');
  // A flow can send a secret to a server of its author, so only callers who may create flows may reference secrets.
  if (secretKeysOfSteps(flow.steps).length > 0) requirePermission('FLOWS:WRITE');
  // Likewise connections, which act for the person who authorized them.
  const steps = [...walkSteps(flow.steps)].map(({ step }) => step);
  const mcpServers = steps.flatMap((step) => stepTools(step).mcpServers ?? []);
  if (connectionsOfServers(mcpServers).length > 0) requirePermission('FLOWS:WRITE');
  for (const { type } of steps) {
    const { permission } = getStepType(type);
    if (permission) requirePermission(permission);
  }
  const tools = {
    ids: steps.flatMap(stepToolIds),
    runtimeTools: steps.flatMap((step) => stepTools(step).runtimeTools ?? []),
    mcpServers,
  };
  for (const permission of await permissionsToRun(scope, tools)) requirePermission(permission);
  return [...needed];
}
