"""
Two machines of Slurm on this one, for the tests of ranks. Each has its own host name, processes and boot id, so nothing but the
directory is common to them. Slurm is Debian's, without its own authentication.
"""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid

import pytest

from harness import directory, environment

NODES = ["one", "two"]
CONFIGURATION = """
ClusterName=test
SlurmctldHost=one(127.0.0.1)
SlurmctldPort={ports[2]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/%n
SlurmdPidFile={at}/%n.pid
SlurmctldPidFile={at}/control.pid
SlurmdLogFile={at}/%n.log
SlurmctldLogFile={at}/control.log
SlurmdParameters=config_overrides
NodeName=one NodeAddr=127.0.0.1 Port={ports[0]} CPUs=4
NodeName=two NodeAddr=127.0.0.1 Port={ports[1]} CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
"""
MACHINE = 'hostname "$1"; echo "$2" >"$3"; mount --bind "$3" /proc/sys/kernel/random/boot_id && shift 3 && exec "$@"'


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@contextlib.contextmanager
def machines():
    """The variables that srun needs."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("srun", "slurmctld", "slurmd", "unshare"))):
        pytest.skip("Slurm is not installed, or this is not root")
    at = directory()
    os.chmod(at, 0o755)
    configuration = os.path.join(at, "slurm.conf")
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(at=at, ports=free_ports(3)))
    for name in ["state"] + NODES:
        os.mkdir(os.path.join(at, name))
    variables = dict(environment(), SLURM_CONF=configuration)
    commands = [["unshare", "--uts", "sh", "-c", 'hostname one; exec "$@"', "sh", "slurmctld", "-D", "-f", configuration]]
    for node in NODES:
        commands.append(["unshare", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", MACHINE, "sh", node, str(uuid.uuid4()),
                         os.path.join(at, node + ".boot"), "slurmd", "-D", "-N", node, "-f", configuration])
    daemons = [subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) for command in commands]
    try:
        for _ in range(30):
            if subprocess.run(["srun", "--immediate=5", "-N2", "-n2", "true"], env=variables, capture_output=True, timeout=60, check=False).returncode == 0:
                break
            time.sleep(0.5)
        else:
            pytest.skip("Slurm does not run here")
        yield variables
    finally:
        for daemon in daemons:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(daemon.pid, signal.SIGKILL)
            daemon.wait(30)
