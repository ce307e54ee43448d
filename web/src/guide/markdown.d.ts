/** Page of the guide, as built by `vite.config.js`. */
declare module "*.md" {
  const html: string;
  export default html;
}
