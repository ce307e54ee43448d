/** A page of the guide, as `vite.config.js` makes it. */
declare module "*.md" {
  const html: string;
  export default html;
}
