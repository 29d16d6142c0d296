import { type Screens, screen } from '../../routing/screens.ts';

export const settingsScreens: Screens = {
  '/settings': screen(() => import('./api-keys.tsx'), 'ApiKeys'),
  '/settings/api-keys': screen(() => import('./api-keys.tsx'), 'ApiKeys'),
  '/settings/secrets': screen(() => import('./secrets.tsx'), 'Secrets'),
  '/settings/provider-keys': screen(() => import('./provider-keys.tsx'), 'ProviderKeys'),
  '/settings/models': screen(() => import('./models.tsx'), 'Models'),
  '/settings/tools': screen(() => import('./tools/tools.tsx'), 'Tools'),
  '/settings/tools/$toolId': screen(() => import('./tools/tool.tsx'), 'OneTool'),
  '/settings/client-tokens': screen(() => import('./client-tokens.tsx'), 'ClientTokens'),
  '/settings/client-tokens/$tokenId': screen(() => import('./client-token.tsx'), 'OneClientToken'),
  '/settings/budgets': screen(() => import('./budgets.tsx'), 'Budgets'),
  '/settings/audit-log': screen(() => import('./audit-log.tsx'), 'AuditLog'),
  '/settings/workspace': screen(() => import('./workspace/workspace.tsx'), 'Workspace'),
  '/settings/usage': screen(() => import('./usage.tsx'), 'Usage'),
};
