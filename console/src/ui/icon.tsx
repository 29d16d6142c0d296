import { type IconName, icons } from './icon-paths.ts';

/** Drawn in the colour of the text around it. Decoration: what it means is said in words beside it. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
    <path d={icons[name]} />
  </svg>
);
