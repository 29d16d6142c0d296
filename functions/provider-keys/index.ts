import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createProviderKey } from './create.ts';
import { deleteProviderKey } from './delete.ts';
import { listProviderKeys } from './list.ts';
import { updateProviderKey } from './update.ts';

export const providerKeysGroup = {
  description:
    'The tenant’s own keys of model and search providers. The API accepts values and never returns them.',
  endpoints: [listProviderKeys, createProviderKey, updateProviderKey, deleteProviderKey],
} as const satisfies EndpointGroup;
