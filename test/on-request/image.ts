import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findInPath, isRoot } from "../../local/process.ts";
import { root } from "../imports.ts";

/** The image of deploy/Dockerfile, built by buildah without a daemon, on a base image that debootstrap makes. */

export interface Image {
  /** The folder in which its file system is mounted. */
  root: string;
  /** Its ENV, as name=value. */
  env: string[];
  user: string;
  workingDir: string;
  remove(): void;
}

const programs = ["buildah", "debootstrap", "npm", "unshare", "pivot_root", "nsenter"];
const suite = "bookworm";
const dockerfile = join("deploy", "Dockerfile");
const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** The reason why this machine cannot build and run the image. */
export function imageObstacle(): string | undefined {
  if (!isRoot()) return "the image is built and run as root only";
  const release = fs.existsSync("/etc/os-release")
    ? fs.readFileSync("/etc/os-release", "utf8")
    : "";
  if (!release.includes(`VERSION_CODENAME=${suite}`)) return `this is not Debian ${suite}`;
  const missing = programs.filter((program) => findInPath(program) === undefined);
  return missing.length > 0 ? `there is no ${missing.join(", no ")} here` : undefined;
}

const run = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

export function buildImage(): Image {
  const folder = fs.mkdtempSync(join(tmpdir(), "gateway-image-"));
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  const buildah = (...args: string[]) =>
    run("buildah", [...storage, "--storage-driver", "vfs", ...args]);
  const remove = () => {
    try {
      buildah("umount", "--all");
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    const text = fs.readFileSync(join(root, dockerfile), "utf8");
    makeBase(buildah, /^FROM (\S+)/m.exec(text)?.[1] ?? "");
    const isolation = ["--isolation", "chroot", "--network", "host", "--pull-never"];
    buildah("bud", ...isolation, "--file", dockerfile, "--tag", "gateway", root);
    const { OCIv1 } = JSON.parse(buildah("inspect", "--type", "image", "gateway")) as {
      OCIv1: { config: { Env: string[]; User: string; WorkingDir: string } };
    };
    const { Env: env, User: user, WorkingDir: workingDir } = OCIv1.config;
    const mounted = buildah("mount", buildah("from", "--pull-never", "gateway"));
    return { root: mounted, env, user, workingDir, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Stands in for Node's official image: Debian, the project's own Node, this machine's npm, and the user "node". */
function makeBase(buildah: (...args: string[]) => string, name: string): void {
  const container = buildah("from", "scratch");
  const base = buildah("mount", container);
  run("debootstrap", ["--variant=minbase", "--include=ca-certificates", suite, base]);
  run("chroot", [base, "useradd", "--create-home", "--uid", "1000", "node"]);
  // Security updates are among the sources of this machine, not among debootstrap's.
  fs.rmSync(join(base, "etc/apt/sources.list"), { force: true });
  for (const source of ["sources.list", "sources.list.d"].map((one) => join("/etc/apt", one))) {
    if (fs.existsSync(source)) fs.cpSync(source, join(base, source), { recursive: true });
  }
  const local = join(base, "usr/local");
  fs.copyFileSync(process.execPath, join(local, "bin/node"));
  const cli = fs.realpathSync(findInPath("npm") as string);
  const packages = join(local, "lib/node_modules");
  fs.cpSync(dirname(dirname(cli)), join(packages, "npm"), { recursive: true });
  fs.symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin/npm"));
  // A registry behind a proxy shows the proxy's certificate.
  fs.copyFileSync(certificates, join(base, "etc/ssl/machine.crt"));
  const registry = run("npm", ["config", "get", "registry"]);
  const env = [
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    `NPM_CONFIG_REGISTRY=${registry}`,
    "NODE_EXTRA_CA_CERTS=/etc/ssl/machine.crt",
  ];
  buildah("config", ...env.flatMap((one) => ["--env", one]), container);
  buildah("commit", "--rm", container, `docker.io/library/${name}`);
}
