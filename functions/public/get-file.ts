import * as z from 'zod';
import { publicFiles } from '../../shared/adapters/assets/public-file.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

/** The path of public files, below which are the tenant, the asset id and the file name. */
export const publicFilesPath = '/v1/public/files';

const signedSeconds = 300;
const limit = { per: 'address', perHour: 10_000, perDay: 100_000 } as const;

/** A part of an object's key. A part of dots would lead to another folder. */
const part = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .refine((text) => !/[/\\]|^\.*$/.test(text), 'Expected a name without slashes');
const Tenant = part(1_000).refine((text) => /^(?:org|user):./.test(text), 'Expected a tenant');

export const getPublicFile = defineEndpoint({
  id: 'public.get-file',
  method: 'GET',
  path: '/v1/public/files/{tenant}/{assetId}/{filename}',
  permission: 'public',
  scope: defineScope({
    what: 'File',
    uses: [],
    from: async ({ pathParameters }, { scopeOf }) => scopeOf(tenantIn(pathParameters?.tenant)),
    limit,
  }),
  summary: 'Get a public file of a flow',
  description:
    'Redirects to the file. The steps store-asset and generate-pdf return this address for public files, unless the deployment serves them through a CDN.',
  params: z.object({ tenant: Tenant, assetId: resourceId('asset'), filename: part(255) }),
  response: { kind: 'redirect', maxAgeSeconds: signedSeconds - 60 },
  errors: [400, 404],
  needs: { files: publicFiles },

  handle: ({ params: { assetId, filename } }, { files }) => files.urlOf(assetId, filename, signedSeconds),
});

/** The path contains it percent-encoded. A malformed one is no tenant and fails the check of the parameters. */
function tenantIn(encoded = ''): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

export const handler = toLambda(getPublicFile);
