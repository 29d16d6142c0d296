import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { allowLogin } from './allow-login.ts';
import { apiKeyAnalytics } from './analytics.ts';
import { createApiKey } from './create.ts';
import { deleteApiKey } from './delete.ts';
import { deleteOwnApiKey } from './delete-self.ts';
import { getApiKey } from './get.ts';
import { apiKeyAnalyticsOfOne } from './get-analytics.ts';
import { listApiKeys } from './list.ts';
import { apiKeyOptions } from './options.ts';
import { regenerateApiKey } from './regenerate.ts';
import { revealApiKey } from './reveal.ts';
import { updateApiKey } from './update.ts';

export const apiKeysGroup = {
  description: 'API keys for programs: create, restrict, rotate and delete them, and see their use.',
  endpoints: [
    apiKeyOptions,
    createApiKey,
    listApiKeys,
    apiKeyAnalytics,
    getApiKey,
    updateApiKey,
    deleteApiKey,
    regenerateApiKey,
    revealApiKey,
    apiKeyAnalyticsOfOne,
    allowLogin,
    deleteOwnApiKey,
  ],
} as const satisfies EndpointGroup;
