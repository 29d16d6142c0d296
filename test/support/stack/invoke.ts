import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { ownAddress } from '../servers/own-address.ts';

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Invokes a Lambda in this process as API Gateway would, with an authorizer's context. */
export const invokeWith =
  (handler: unknown, authorizer: Record<string, unknown>, timeLeftMs = 29_000) =>
  (event: Partial<APIGatewayProxyEvent>): Promise<APIGatewayProxyResult> =>
    (handler as Handler)(
      {
        headers: {},
        body: null,
        isBase64Encoded: false,
        pathParameters: null,
        queryStringParameters: null,
        requestContext: { requestId: 'test', authorizer, identity: { sourceIp: ownAddress } },
        ...event,
      } as APIGatewayProxyEvent,
      { getRemainingTimeInMillis: () => timeLeftMs } as Context,
    );
