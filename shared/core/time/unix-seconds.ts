/** A time in Unix seconds, for JWTs and DynamoDB's item expiry. */
export const unixSeconds = (moment: Date) => Math.floor(moment.getTime() / 1_000);
