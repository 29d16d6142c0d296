export const assetBytesMax = 25_000_000;
