/** The params of the operations of a surface. */
export interface SurfaceIds {
  /** Of the product. */
  id: string;
  surfaceId: string;
}
