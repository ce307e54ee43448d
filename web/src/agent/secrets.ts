/** Names of files that look as if they held a secret: whoever runs the chat sees what is read. As `native/src/agent/secrets.rs` has them. */

export function looksSecret(path: string): boolean {
  const folders = path.toLowerCase().split("/");
  const name = folders.pop()!;
  return (SECRET.test(name) && !/\.(pub|example|sample|template)$/.test(name)) || folders.some((folder) => FOLDERS.includes(folder));
}

const SECRET = new RegExp(
  [
    String.raw`^([._]netrc|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.vault-token|\.dockercfg|auth\.json|kubeconfig|wallet\.dat|shadow|logins\.json|rclone\.conf|webrepl_cfg\.py)$`,
    String.raw`^(\.env|id_rsa|id_dsa|id_ecdsa|id_ed25519|credentials)`,
    String.raw`\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|env|ovpn|asc)$`,
    "secret|password|passwd|private_key",
  ].join("|"),
);
const FOLDERS = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"];
