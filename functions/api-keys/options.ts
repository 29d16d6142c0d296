import * as z from 'zod';
import { listCommandLinePermissions } from '../../shared/domain/api-keys/command-line-logins.ts';
import { maximumLimits, readDefaultLimits } from '../../shared/platform/auth/rate-limit-windows.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { listPermissionGroups } from '../../shared/platform/identity/permissions.ts';

export const apiKeyOptions = defineEndpoint({
  id: 'api-keys.options',
  method: 'GET',
  path: '/v1/api-keys/options',
  permission: 'authenticated',
  summary: 'List the permissions and environments for API keys',
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        permissionGroups: z.array(
          z.object({
            key: z.string(),
            label: z.string(),
            description: z.string(),
            permissions: z.array(z.string()),
          }),
        ),
        rateLimits: z.object({
          defaultPerHour: z.int(),
          defaultPerDay: z.int(),
          maxPerHour: z.int(),
          maxPerDay: z.int(),
        }),
        permissionScopes: z.array(z.string()).nullable(),
        commandLinePermissions: z.array(z.string()).meta({
          description: 'What the commands of the command line need, as far as the caller has it',
        }),
      }),
    },
  },
  needs: {},

  async handle({ permissions }) {
    const { perHour: defaultPerHour, perDay: defaultPerDay } = readDefaultLimits();
    const { perHour: maxPerHour, perDay: maxPerDay } = maximumLimits;
    return {
      permissionGroups: listPermissionGroups(),
      rateLimits: { defaultPerHour, defaultPerDay, maxPerHour, maxPerDay },
      permissionScopes: null,
      commandLinePermissions: listCommandLinePermissions(await permissions()),
    };
  },
});

export const handler = toLambda(apiKeyOptions);
