FLUSH PRIVILEGES;
CREATE USER mysql@localhost IDENTIFIED VIA unix_socket;
GRANT RELOAD ON *.* TO mysql@localhost;
CREATE USER root@'%' IDENTIFIED BY 'from a Secret';
