import type { APIGatewayProxyEvent } from 'aws-lambda';
import { resourceId } from '../../shared/core/ids.ts';
import { signerOfSurface } from '../../shared/domain/surfaces/secrets/surface-signer.ts';
import { hasSignature } from '../../shared/domain/surfaces/surface/verify-webhook.ts';
import { signatureOrCredential } from '../../shared/platform/auth/optional-credential.ts';

const SurfaceId = resourceId('surface');

/** For each surface and network of senders. */
const limits = { perHour: 10_000, perDay: 100_000 };

/** Admits senders whose signature a secret of the surface has made, and callers with a credential. */
export const senderOrCaller = signatureOrCredential({
  uses: signerOfSurface.uses,
  accepts: ['surface-key'],
  limits,
  isSigned: ({ headers }) => hasSignature((name) => headers[name]),
  countedFor: ({ pathParameters }) => {
    const { data = 'unknown' } = SurfaceId.safeParse(pathParameters?.surfaceId);
    return `Webhook ${data}`;
  },
  async signerOf(event, runtime) {
    const { id = '', surfaceId = '' } = event.pathParameters ?? {};
    const header = (name: string) => event.headers[name];
    return signerOfSurface({ productId: id, surfaceId, header, body: rawBody(event) }, runtime);
  },
});

const rawBody = ({ body, isBase64Encoded }: APIGatewayProxyEvent) =>
  isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
