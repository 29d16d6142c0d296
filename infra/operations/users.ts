import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  type AttributeType,
  CognitoIdentityProviderClient,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';
import { OperationError } from './deployment/operation.ts';

export interface User {
  /** The claim `sub` of the user's tokens. */
  userId: string;
  organizationId: string | null;
}

const organizationAttribute = 'custom:organizationId';

/**
 * The user of a Cognito pool with this address. Cognito sends a new one a temporary password.
 * @throws OperationError if the user belongs to another organization: the key would have another tenant.
 */
export async function findOrCreateUser(
  UserPoolId: string,
  email: string,
  organization: string | null,
): Promise<User & { isNew: boolean }> {
  const client = new CognitoIdentityProviderClient({});
  const attributes = {
    email,
    email_verified: 'true',
    ...(organization && { [organizationAttribute]: organization }),
  };
  try {
    const { User } = await client.send(
      new AdminCreateUserCommand({
        UserPoolId,
        Username: email,
        UserAttributes: Object.entries(attributes).map(([Name, Value]) => ({ Name, Value })),
        DesiredDeliveryMediums: ['EMAIL'],
      }),
    );
    return { ...userIn(User?.Attributes), isNew: true };
  } catch (error) {
    if (!(error instanceof UsernameExistsException)) throw problemOf(error, email);
  }
  const { UserAttributes } = await client
    .send(new AdminGetUserCommand({ UserPoolId, Username: email }))
    .catch((error) => {
      throw problemOf(error, email);
    });
  const user = userIn(UserAttributes);
  if (organization && user.organizationId !== organization)
    throw new OperationError(
      `${email} belongs to ${user.organizationId ? `the organization ${user.organizationId}` : 'no organization'}. Leave out --organization, or change the user's attribute ${organizationAttribute} first.`,
    );
  return { ...user, isNew: false };
}

function userIn(attributes: readonly AttributeType[] = []): User {
  const values = new Map(attributes.map(({ Name, Value }) => [Name, Value]));
  const userId = values.get('sub');
  if (!userId) throw new OperationError('Cognito returned a user without the attribute sub.');
  return { userId, organizationId: values.get(organizationAttribute) ?? null };
}

const problemOf = (cause: unknown, email: string) =>
  new OperationError(`Cognito neither created nor found the user ${email}: ${(cause as Error).message}`, {
    cause,
  });
