/**
 * The capabilities of a product: the flows and agents that its surfaces can expose, with their names and parameters.
 *
 * They are part of the product's item and change with it, under its revision. The schema of the parameters is derived from the
 * target unless one is sent. Removing a capability removes the items of surfaces that expose it, in the same transaction.
 */

import * as z from 'zod';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { conflict, invalid, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt, resourceId } from '../../core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../core/name.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { JsonSchemaText } from '../flows/steps/common-config.ts';
import { derivedSchema } from '../products/derived-schema.ts';
import type { Product, ProductCapability } from '../products/product.ts';
import { productStore } from '../products/product-store.ts';
import { findParametersProblems } from '../tools/check-tool.ts';
import { createItemRemovalWrites, surfaceStore } from './surface-store.ts';

export const productCapabilitiesMax = 64;

const Name = nameUpTo(100).meta({ description: 'Unique in the product' });
const Description = z.string().max(4_000).refine(wellFormed, wellFormedOnly).nullable();
const ParametersSchema = JsonSchemaText.nullable().meta({
  description:
    'A JSON Schema of the parameters; null allows any. By default it is derived from the flow or the agent',
});

export const NewCapability = z
  .strictObject({
    capabilityName: Name,
    capabilityDescription: Description.optional(),
    flowId: resourceId('flow').nullable().optional(),
    agentId: resourceId('agent').nullable().optional(),
    parametersSchema: ParametersSchema.optional(),
    enabled: z.boolean().optional().meta({ description: 'Default: true' }),
  })
  .superRefine(({ flowId, agentId }, context) => {
    if ((flowId == null) !== (agentId == null)) return;
    const [code, path] = flowId ? ['SEVERAL_TARGETS', 'agentId'] : ['MISSING_REQUIRED_FIELD', 'flowId'];
    const message = 'Name exactly one of flowId and agentId';
    context.addIssue({ code: 'custom', params: { code }, path: [path], message });
  });
export type NewCapability = z.infer<typeof NewCapability>;

export const CapabilityChanges = z
  .strictObject({
    capabilityName: Name.optional(),
    capabilityDescription: Description.optional(),
    parametersSchema: ParametersSchema.optional(),
    enabled: z.boolean().optional(),
    refreshSchema: z.boolean().optional().meta({ description: 'true derives `parametersSchema` again' }),
  })
  .superRefine(({ refreshSchema, parametersSchema }, context) => {
    if (!refreshSchema || parametersSchema === undefined) return;
    const message = 'Send parametersSchema or refreshSchema, not both';
    const params = { code: 'SEVERAL_TARGETS' };
    context.addIssue({ code: 'custom', params, path: ['refreshSchema'], message });
  });
export type CapabilityChanges = z.infer<typeof CapabilityChanges>;

export const productCapabilities = /* @__PURE__ */ using(
  [productStore, surfaceStore, derivedSchema],
  (scope: Scope) => {
    const { newId } = scope;
    const products = productStore(scope);
    const schemaFor = derivedSchema(scope);

    const change = (
      productId: string,
      decide: (before: Product) => Promise<{ capabilities: ProductCapability[]; alsoWrite?: Write[] }>,
    ) =>
      products.change(productId, async (before) => {
        const { capabilities, alsoWrite = [] } = await decide(before);
        return { after: { ...before, capabilities }, alsoWrite };
      });

    return {
      /** @throws 400; 404 if the product or the target does not exist; 409 for a taken name, or too many. */
      async add(productId: string, input: NewCapability, sandbox: Sandbox): Promise<ProductCapability> {
        await assertSchema(input, sandbox);
        const target = { flowId: input.flowId ?? null, agentId: input.agentId ?? null };
        const derived = await schemaFor(target, sandbox);
        const id = newId('cap');
        const made = { ...target, id, createdAt: getIdCreatedAt(id) };
        let added: ProductCapability | undefined;
        await change(productId, async ({ capabilities }) => {
          assertRoom(capabilities);
          assertFree(capabilities, input.capabilityName);
          added = {
            ...made,
            capabilityName: input.capabilityName,
            capabilityDescription: input.capabilityDescription ?? null,
            parametersSchema: input.parametersSchema === undefined ? derived : input.parametersSchema,
            enabled: input.enabled ?? true,
            displayOrder: (capabilities.at(-1)?.displayOrder ?? -1) + 1,
          };
          return { capabilities: [...capabilities, added] };
        });
        return added as ProductCapability;
      },

      /** @throws 400; 404, also if the schema of a target that is gone should be derived; 409 for a taken name. */
      async update(
        productId: string,
        id: string,
        { refreshSchema, ...changes }: CapabilityChanges,
        sandbox: Sandbox,
      ): Promise<ProductCapability> {
        await assertSchema(changes, sandbox);
        let after: ProductCapability | undefined;
        await change(productId, async ({ capabilities }) => {
          const before = findCapability(capabilities, id);
          const { capabilityName = before.capabilityName } = changes;
          assertFree(
            capabilities.filter((each) => each !== before),
            capabilityName,
          );
          const defined = Object.fromEntries(
            Object.entries(changes).filter(([, value]) => value !== undefined),
          );
          const refreshed = refreshSchema && { parametersSchema: await schemaFor(before, sandbox) };
          const changed: ProductCapability = { ...before, ...defined, ...refreshed };
          after = changed;
          return { capabilities: capabilities.map((each) => (each === before ? changed : each)) };
        });
        return after as ProductCapability;
      },

      /** Removes it, and the items of surfaces that expose it. @throws 404, 409 */
      async remove(productId: string, id: string): Promise<void> {
        await change(productId, async ({ capabilities, surfaces }) => {
          const left = capabilities.filter((each) => each.id !== id);
          if (left.length === capabilities.length) throw notFound('Capability');
          return {
            capabilities: left,
            alsoWrite: await createItemRemovalWrites(scope, productId, { surfaces, id }),
          };
        });
      },
    };
  },
);

/** @throws 404 */
export function findCapability(capabilities: readonly ProductCapability[], id: string): ProductCapability {
  const capability = capabilities.find((each) => each.id === id);
  if (!capability) throw notFound('Capability');
  return capability;
}

async function assertSchema(
  { parametersSchema }: { parametersSchema?: Record<string, unknown> | null | undefined },
  sandbox: Sandbox,
): Promise<void> {
  const problems = await findParametersProblems(parametersSchema, ['parametersSchema'], sandbox);
  if (problems.length > 0) throw invalid(problems);
}

function assertFree(others: readonly ProductCapability[], name: string): void {
  if (!others.some(({ capabilityName }) => capabilityName === name)) return;
  const message = `The product has a capability with the name "${name}". Choose another name`;
  throw conflict({ path: 'capabilityName', code: 'NAME_TAKEN', message });
}

function assertRoom(capabilities: readonly ProductCapability[]): void {
  if (capabilities.length < productCapabilitiesMax) return;
  const message = `A product has at most ${productCapabilitiesMax} capabilities`;
  throw conflict({ code: 'LIMIT_REACHED', message });
}
