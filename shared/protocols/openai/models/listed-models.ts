import * as z from 'zod';
import { StepError } from '../../../core/errors/step-error.ts';
import { unixSeconds } from '../../../core/time.ts';
import { agentEntity, agentsPartition } from '../../../domain/agents/config/agent.ts';
import { flowEntity, flowsPartition } from '../../../domain/flows/flow.ts';
import { modelNames, usableModels } from '../../../domain/model-configs/model-names.ts';
import { type Target, targetFinder } from '../../../execution/targets/target.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { QueryOptions } from '../../../platform/data/query.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { covers } from '../../../platform/identity/permissions.ts';
import { assertMayAsk, parseTargetName } from '../answers/answerer-name.ts';
import { modelNotFound } from '../error-form.ts';

export const OpenAiModel = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds; 0 for a model of the catalog' }),
    owned_by: z.string().meta({ description: 'The provider; `agent` or `flow`' }),
  })
  .meta({
    id: 'OpenAiModel',
    examples: [{ id: 'openai/gpt-5-mini', object: 'model', created: 0, owned_by: 'openai' }],
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
export const listedModels = /* @__PURE__ */ using(
  [usableModels, modelNames, targetFinder],
  (scope: Scope) => {
    async function listNamed(
      kind: 'agent' | 'flow',
      partition: QueryOptions['partition'],
    ): Promise<OpenAiModel[]> {
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

    async function target({ kind, id }: Target): Promise<OpenAiModel | undefined> {
      const key = { id };
      const item = await (kind === 'flow'
        ? scope.table.get(flowEntity, key)
        : scope.table.get(agentEntity, key));
      return item && model(id, kind, item.createdAt);
    }

    async function plainModel(name: string): Promise<OpenAiModel> {
      try {
        const { provider } = (await modelNames(scope).identity(name)) as { provider: string };
        return (await plain()).find(({ id }) => id === name) ?? model(name, provider);
      } catch (error) {
        throw error instanceof StepError ? modelNotFound(name, error.message) : error;
      }
    }

    const list = async (permissions: readonly string[]): Promise<OpenAiModel[]> => {
      const [mayFlows, mayAgents] = ['FLOWS:EXECUTE', 'AGENTS:EXECUTE'].map((each) =>
        covers(permissions, each),
      );
      const parts = await Promise.all([
        mayFlows ? plain() : [],
        mayAgents ? listNamed('agent', agentsPartition) : [],
        mayFlows ? listNamed('flow', flowsPartition) : [],
      ]);
      return parts.flat();
    };

    return {
      list,

      /** What a name means, whether it is listed or not, as the caller wrote it. @throws ServiceError 403, 404 */
      async find(permissions: readonly string[], name: string): Promise<OpenAiModel> {
        const named = parseTargetName(name);
        assertMayAsk(permissions, named);
        if (!named) return plainModel(name);
        const found = await targetFinder(scope)(named.kind, named.idOrName);
        const item = found && (await target(found));
        if (!item) throw modelNotFound(name);
        return { ...item, id: name };
      },
    };
  },
);

const model = (id: string, owned_by: string, createdAt?: string): OpenAiModel => ({
  id,
  object: 'model',
  created: createdAt === undefined ? 0 : unixSeconds(new Date(createdAt)),
  owned_by,
});
