import * as z from 'zod';
import { unixSeconds } from '../../../core/time/unix-seconds.ts';
import { agentsPartition } from '../../../domain/agents/config/agent.ts';
import { flowsPartition } from '../../../domain/flows/flow.ts';
import { usableModels } from '../../../domain/model-configs/usable-models.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { QueryOptions } from '../../../platform/data/query.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers } from '../../../platform/identity/permissions.ts';

const OpenAiModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().meta({ description: 'Unix seconds; 0 for a model of the catalog' }),
  owned_by: z.string().meta({ description: 'The provider; `agent` or `flow`' }),
});
type OpenAiModel = z.infer<typeof OpenAiModel>;

export const OpenAiModelList = z.object({ object: z.literal('list'), data: z.array(OpenAiModel) }).meta({
  id: 'OpenAiModelList',
  examples: [
    {
      object: 'list',
      data: [{ id: 'openai/gpt-5-mini', object: 'model', created: 0, owned_by: 'openai' }],
    },
  ],
});

/** Of flows, and of agents. */
export const listedMax = 500;

const Summary = z.object({ name: z.string(), createdAt: z.string() });

/** What the member `model` of requests may name. */
export const listedModels = /* @__PURE__ */ using([usableModels, 'table:read'], (scope: Scope) => {
  async function named(kind: 'agent' | 'flow', partition: QueryOptions['partition']): Promise<OpenAiModel[]> {
    const { items } = await scope.table.first(listedMax, { partition, index: 1, newestFirst: true });
    const models = items.flatMap(({ summary }) => {
      const { data } = Summary.safeParse(summary);
      return data ? [model(`${kind}/${data.name}`, kind, data.createdAt)] : [];
    });
    // Of several with a name the newest runs, which comes first.
    return models.filter(({ id }, index) => models.findIndex((each) => each.id === id) === index);
  }

  async function plain(): Promise<OpenAiModel[]> {
    const models = await usableModels(scope)();
    const listed = models.map(({ name, provider, createdAt }) => model(name, provider, createdAt));
    return listed.length > 0 ? [model('default', 'system'), ...listed] : [];
  }

  return async (permissions: readonly string[]): Promise<OpenAiModel[]> => {
    const [mayFlows, mayAgents] = ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'].map((each) =>
      covers(permissions, each),
    );
    const parts = await Promise.all([
      mayFlows ? plain() : [],
      mayAgents ? named('agent', agentsPartition) : [],
      mayFlows ? named('flow', flowsPartition) : [],
    ]);
    return parts.flat();
  };
});

const model = (id: string, owned_by: string, createdAt?: string): OpenAiModel => ({
  id,
  object: 'model',
  created: createdAt === undefined ? 0 : unixSeconds(new Date(createdAt)),
  owned_by,
});
