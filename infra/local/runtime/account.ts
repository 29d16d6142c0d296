export const region = 'us-east-1';

export const accountId = '000000000000';

export const payloadBucket = 'payloads';

export const assetBucket = 'assets';

/** Of tools on this machine. The service itself has a secret that nobody knows, since signed addresses are for everyone. */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

export type Credentials = typeof credentials;
