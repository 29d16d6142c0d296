import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { getPublicFile } from './get-file.ts';
import { getHealth } from './health.ts';
import { redeemLogin } from './redeem-login.ts';
import { getSignIn } from './sign-in.ts';
import { validateFlow } from './validate-flow.ts';

export const publicGroup = {
  description: 'Endpoints that need no credential.',
  endpoints: [getPublicFile, getHealth, getSignIn, redeemLogin, validateFlow],
} as const satisfies EndpointGroup;
