export const region = 'us-east-1';

export const accountId = '000000000000';

export const payloadBucket = 'payloads';

export const assetBucket = 'assets';

export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
