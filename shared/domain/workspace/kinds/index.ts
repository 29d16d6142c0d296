import { agentsKind } from './agents.ts';
import { budgetsKind } from './budgets.ts';
import { flowsKind } from './flows.ts';
import type { WorkspaceKind } from './kind.ts';
import { modelConfigsKind } from './model-configs.ts';
import { productsKind } from './products.ts';
import { toolsKind } from './tools.ts';

/** By the names of their lists in a document. Each refers mostly to those before it. */
export const documentKinds = {
  modelConfigs: modelConfigsKind,
  tools: toolsKind,
  flows: flowsKind,
  agents: agentsKind,
  products: productsKind,
  budgets: budgetsKind,
} as const satisfies Record<string, WorkspaceKind>;

export type KindName = keyof typeof documentKinds;
export const kindsInOrder = Object.keys(documentKinds) as KindName[];
