import * as z from 'zod';
import { readYamlTask } from '../../shared/adapters/data-formats/tasks.ts';
import { type Sandbox, SandboxError } from '../../shared/adapters/sandbox/sandbox.ts';
import { invalidAt, missingPermission } from '../../shared/core/errors/errors.ts';
import { isDeeperThan } from '../../shared/core/json/nesting.ts';
import { documentKinds, type KindName, kindsInOrder } from '../../shared/domain/workspace/kinds/index.ts';
import { resourcesMax } from '../../shared/domain/workspace/kinds/read-all.ts';
import { Difference } from '../../shared/domain/workspace/plan.ts';
import type { Lists } from '../../shared/domain/workspace/snapshot.ts';
import { parseOrReject } from '../../shared/platform/http/validation.ts';
import { covers } from '../../shared/platform/identity/permissions.ts';

const list = (kind: KindName) =>
  z
    .array(z.looseObject({ name: z.string().min(1).max(300) }))
    .max(resourcesMax)
    .optional()
    .meta({
      description: `Each ${documentKinds[kind].noun} as its own endpoint has it, with names in the place of ids`,
    });

const lists = Object.fromEntries(kindsInOrder.map((kind) => [kind, list(kind)])) as Record<
  KindName,
  ReturnType<typeof list>
>;

const example = {
  flows: [
    {
      name: 'Describe airports',
      flowSteps: [
        {
          type: 'prompt',
          name: 'Describe',
          config: { model: 'gpt-5-mini', userPrompt: 'Describe {{ _record.metadata.name }}.' },
        },
      ],
    },
  ],
};

export const WorkspaceDocument = z.strictObject(lists).meta({ id: 'WorkspaceDocument', examples: [example] });

/** `parseDocument` validates it, as it does the text. Generators for Go name what has no name after its type, which is no name. */
const AsObject = z.looseObject({}).meta({ asJson: { $ref: '#/components/schemas/WorkspaceDocument' } });

const Sent = z.union([z.string(), AsObject], 'Expected an object, or its YAML as a text').meta({
  description: 'A document as GET /v1/workspace returns it: an object, or a text of YAML or JSON',
});

export const PlanBody = z
  .strictObject({
    document: Sent,
    prune: z.boolean().default(false).meta({
      description:
        'Whether to delete what the document does not name: resources of the kinds that it has, and surfaces and schedules of the products and surfaces that it describes with such a list',
    }),
    publish: z.boolean().default(false).meta({
      description: 'Whether to publish the flows and agents of the document whose draft is not published',
    }),
  })
  .meta({ examples: [{ document: example }] });

export const ApplyBody = PlanBody.extend({
  planHash: z.string().max(100).optional().meta({
    description: 'Of the plan to apply. 409 if the document would change something else by now',
  }),
}).meta({ examples: [{ document: example, publish: true }] });

const planned = {
  kind: z.enum(kindsInOrder),
  name: z.string(),
  action: z.enum(['create', 'update', 'delete', 'publish', 'none']),
};

const notes = z
  .array(z.string())
  .meta({ description: 'What the document cannot contain, such as values of secrets' });

export const PlanResponse = z
  .object({
    changes: z.array(z.object({ ...planned, diff: z.array(Difference) })),
    errors: z.array(z.object({ path: z.string().optional(), code: z.string(), message: z.string() })),
    notes,
    planHash: z.string(),
  })
  .meta({
    id: 'WorkspacePlan',
    examples: [
      {
        changes: [
          {
            kind: 'flows',
            name: 'Describe airports',
            action: 'update',
            diff: [{ path: 'flowSteps.0.config.model', before: 'gpt-5-mini', after: 'gpt-5' }],
          },
        ],
        errors: [],
        notes: [],
        planHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
  });

const MadeSecret = z.object({
  kind: z.enum(kindsInOrder),
  name: z.string(),
  path: z.string().meta({ description: 'Within the resource' }),
  value: z.string().meta({ description: 'Shown once' }),
});

const made = {
  kind: 'products',
  name: 'Desk',
  path: 'surfaces.Public API.outbound.webhook.secret',
  value: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
} as const;

export const ApplyResponse = z
  .object({
    changes: z.array(z.object(planned)),
    notes,
    secrets: z.array(MadeSecret).meta({
      description:
        'The secrets that the service made: keys by which receivers check the signatures of webhooks',
    }),
  })
  .meta({
    id: 'WorkspaceApplied',
    examples: [
      {
        changes: [{ kind: 'products', name: 'Desk', action: 'update' }],
        notes: [],
        secrets: [made],
      },
    ],
  });

const levelsMax = 100;
const yamlMsMax = 5_000;

/** @throws 400 for a text that is no YAML, or for something else than lists of resources. */
export async function parseDocument(sent: z.output<typeof Sent>, sandbox: Sandbox): Promise<Lists> {
  const value = typeof sent === 'string' ? await yamlValue(sent, sandbox) : sent;
  if (isDeeperThan(levelsMax, value))
    throw invalidAt('document', 'TOO_DEEP', `A document is nested at most ${levelsMax} levels deep`);
  return parseOrReject(WorkspaceDocument, value, ['document']) as Lists;
}

async function yamlValue(text: string, sandbox: Sandbox): Promise<unknown> {
  const read = await sandbox(readYamlTask, text, { timeoutMs: yamlMsMax }).catch((error) => {
    if (!(error instanceof SandboxError)) throw error;
    throw invalidAt('document', 'TOO_LARGE', tooMuch);
  });
  if ('value' in read) return read.value;
  throw invalidAt('document', 'INVALID_FORMAT', `The text is not valid YAML: ${read.problem}`);
}

const tooMuch = 'Reading the text takes too long. Send the document as JSON instead';

/** @throws 403 that names a permission which the caller lacks, of those for these kinds. */
export function requireKinds(
  permissions: readonly string[],
  names: readonly KindName[],
  action: 'READ' | 'WRITE',
): void {
  const missing = names
    .map((name) => `${documentKinds[name].group}:${action}`)
    .find((each) => !covers(permissions, each));
  if (missing !== undefined) throw missingPermission(missing);
}
