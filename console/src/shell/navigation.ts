/** The main screens, in the order of the menu. */
export const sections = [
  { to: '/', label: 'Home', icon: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z' },
  { to: '/flows', label: 'Flows', icon: 'M5 4h6v5H5zM13 15h6v5h-6zM8 9v8h5' },
  { to: '/records', label: 'Records', icon: 'M4 5h16v14H4zM4 10h16M10 10v9' },
  { to: '/agents', label: 'Agents', icon: 'M12 3v3M6 6h12v10H6zM9 11h.01M15 11h.01M8 20h8' },
  { to: '/products', label: 'Products', icon: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8' },
  { to: '/settings', label: 'Settings', icon: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4' },
] as const;
